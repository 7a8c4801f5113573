import { hash } from 'node:crypto'
import type { Tool } from '@modelcontextprotocol/client'
import { canonicalJson } from './canonical-json.ts'
import type { ToolEntry } from './composed-catalog.ts'

/** Which definition of a tool, by its hash, was seen first or approved since. A `Map` will do where nothing need outlive the process. */
export interface PinStore {
  get(id: string): string | undefined
  set(id: string, hash: string): unknown
}

export interface ToolChange {
  readonly id: string
  readonly server: string
  /** Whether it is blocked for it. */
  readonly pinned: boolean
}

export interface ToolTrust {
  /** Throws on a definition that cannot be written as JSON. */
  hashOf(tool: Tool): string
  /** Remembers a tool at first sight; tells of a change once for each definition that it changes to. */
  judge(change: ToolChange, hash: string): ToolEntry['trust']
  approve(id: string, hash: string): void
}

export function createToolTrust(options: {
  readonly pins: PinStore
  readonly onToolChanged: (change: ToolChange) => void
}): ToolTrust {
  const { pins, onToolChanged } = options
  const hashes = new WeakMap<Tool, string>()
  // Holds only what differs from its pin, and so no more than there are pins.
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
      if (pin === undefined) pins.set(id, hash)
      if (pin === undefined || pin === hash) {
        told.delete(id)
        return 'known'
      }
      if (told.get(id) !== hash) {
        told.set(id, hash)
        onToolChanged(change)
      }
      return pinned ? 'blocked' : 'changed'
    },
    approve(id, hash) {
      pins.set(id, hash)
      told.delete(id)
    },
  } satisfies ToolTrust)
}
