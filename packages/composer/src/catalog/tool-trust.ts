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

export interface ToolTrust {
  /** Throws on a definition that cannot be written as JSON. */
  hashOf(tool: Tool): string
  /** Remembers a tool at first sight, and blocks one of a pinned server that cannot be; tells of a change once for each definition that it changes to. */
  judge(change: ToolChange, hash: string): ToolEntry['trust']
  approve(id: string, hash: string): void
}

/** One that was forgotten here is told of again. */
const MAX_TOLD = 50_000

export function createToolTrust(options: {
  readonly pins: PinStore
  readonly onToolChanged: (change: ToolChange) => void
}): ToolTrust {
  const { pins, onToolChanged } = options
  const hashes = new WeakMap<Tool, string>()
  const told = new Map<string, string>()

  return Object.freeze({
    hashOf(tool) {
      const known = hashes.get(tool)
      if (known !== undefined) return known
      const made = hash('sha256', canonicalJson(tool), 'hex')
      hashes.set(tool, made)
      return made
    },
    judge(change, hash) {
      const { id, pinned } = change
      const pin = pins.get(id)
      if (pin === undefined || pin === hash) {
        told.delete(id)
        return pin === hash || pins.remember(id, hash, pinned) || !pinned ? 'known' : 'blocked'
      }
      if (told.get(id) !== hash) {
        const [oldest] = told.keys()
        if (told.size >= MAX_TOLD && oldest !== undefined) told.delete(oldest)
        told.set(id, hash)
        onToolChanged(change)
      }
      return pinned ? 'blocked' : 'changed'
    },
    approve(id, hash) {
      pins.approve(id, hash)
      told.delete(id)
    },
  } satisfies ToolTrust)
}
