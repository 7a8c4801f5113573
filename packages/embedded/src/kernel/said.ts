import type { Said } from './program/frame.mts'

const CHANNELS = ['shell', 'iopub', 'process'] as const
const IOPUB_TYPES = new Set([
  'status',
  'execute_input',
  'stream',
  'display_data',
  'update_display_data',
  'execute_result',
  'error',
  'clear_output',
])

/** Undefined for what no kernel says: code of a notebook can reach the pipe and write anything into it. */
export function parseSaid(json: string): Said | undefined {
  const value = parse(json)
  if (!isRecord(value)) return undefined
  const { type, content } = value
  const channel = CHANNELS.find((candidate) => candidate === value.channel)
  if (channel === undefined || typeof type !== 'string' || !isRecord(content)) return undefined
  if (channel === 'iopub' && !IOPUB_TYPES.has(type)) return undefined
  return { channel, type, content }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // Told apart from valid JSON by its shape alone.
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
