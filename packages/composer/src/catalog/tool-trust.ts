import { hash } from 'node:crypto'
import type { Tool } from '@modelcontextprotocol/client'
import { canonicalJson } from './canonical-json.ts'
import type { ToolEntry } from './composed-catalog.ts'
import type { PinStore } from './pins.ts'

export interface ToolChange {
  readonly id: string
  readonly server: string
  /** Whether it is blocked for it. */
  readonly pinned: boolean
}

export type ToolVerdict = Pick<ToolEntry, 'trust' | 'block' | 'approved'>

export interface ToolTrust {
  /** Throws on a definition that cannot be written as JSON. */
  hashOf(tool: Tool): string
  /** Remembers a tool at first sight, and blocks one of a pinned server that cannot be; tells of a change once for each definition that it changes to. */
  judge(change: ToolChange, tool: Tool): ToolVerdict
  approve(id: string, tool: Tool, pinned: boolean): void
}

/** One that was forgotten here is told of again. */
const MAX_TOLD = 50_000
const KNOWN: ToolVerdict = Object.freeze({ trust: 'known' })

export function createToolTrust(options: {
  readonly pins: PinStore
  readonly onToolChanged: (change: ToolChange) => void
}): ToolTrust {
  const { pins, onToolChanged } = options
  const hashes = new WeakMap<Tool, string>()
  /** Whether there was room for them or not. */
  const offered = new WeakSet<Tool>()
  const told = new Map<string, string>()

  function hashOf(tool: Tool): string {
    const known = hashes.get(tool)
    if (known !== undefined) return known
    const made = hash('sha256', canonicalJson(tool), 'hex')
    hashes.set(tool, made)
    return made
  }

  function keep(id: string, tool: Tool, pinned: boolean): void {
    if (offered.has(tool) || pins.definition(id) !== undefined) return
    offered.add(tool)
    pins.keep(id, canonicalJson(tool), pinned)
  }

  function tellOnce(change: ToolChange, hash: string): void {
    const { id } = change
    if (told.get(id) === hash) return
    const [oldest] = told.keys()
    if (told.size >= MAX_TOLD && oldest !== undefined) told.delete(oldest)
    told.set(id, hash)
    onToolChanged(change)
  }

  function approvedOf(id: string): Pick<ToolVerdict, 'approved'> {
    const definition = pins.definition(id)
    return definition === undefined ? {} : { approved: JSON.parse(definition) }
  }

  return Object.freeze({
    hashOf,
    judge(change, tool) {
      const { id, pinned } = change
      const hash = hashOf(tool)
      const pin = pins.get(id)
      if (pin !== undefined && pin !== hash) {
        tellOnce(change, hash)
        const approved = approvedOf(id)
        return pinned
          ? { trust: 'blocked', block: 'changed', ...approved }
          : { trust: 'changed', ...approved }
      }
      told.delete(id)
      if (pin === undefined && !pins.remember(id, hash, pinned)) {
        return pinned ? { trust: 'blocked', block: 'unremembered' } : KNOWN
      }
      keep(id, tool, pinned)
      return KNOWN
    },
    approve(id, tool, pinned) {
      pins.approve(id, hashOf(tool))
      pins.keep(id, canonicalJson(tool), pinned)
      told.delete(id)
    },
  } satisfies ToolTrust)
}
