import type { Output } from '../document/nbformat.ts'
import type { ExecutionEvent } from '../upstream/kernel/execution-event.ts'
import { jsonBytes } from '../upstream/kernel/json-bytes.ts'

type OutputEvent = Extract<ExecutionEvent, { type: 'output' | 'update_display' | 'clear' }>

/** Turns events into the outputs of a cell, of which it never keeps more than `maxBytes`. */
export interface OutputCollector {
  /** What was kept of a new output; undefined when nothing was. */
  add(event: OutputEvent): Output | undefined
  count(): number
  /** Ready for the notebook; where something was not kept, the last one says so. */
  outputs(): readonly Output[]
  /** Bytes that were not kept. */
  omitted(): number
}

interface Item {
  output: Output
  bytes: number
  readonly displayId: string | undefined
}

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024
/** What an output costs beside what it holds: many small ones must not cost more than a few large ones. */
const PER_OUTPUT = 64
/** What its type and count take. */
const PER_UPDATE = 64
const MARKER_BYTES = 512
const MOST_NAMED = 3
const LONGEST_NAME = 40
/** Kept free for errors, which are worth the most when much was printed before them. */
const ERROR_BYTES = 64 * 1024

export function createOutputCollector({
  maxBytes = MAX_OUTPUT_BYTES,
}: {
  readonly maxBytes?: number
} = {}): OutputCollector {
  const room = Math.max(0, maxBytes - MARKER_BYTES)
  const roomForAll = room - Math.min(ERROR_BYTES, Math.floor(room / 8))
  let items: Item[] = []
  let bytes = 0
  let omitted = 0
  /** What could not be kept at all, by its media type. */
  let dropped: string[] = []
  let isCut = false
  let clearsNext = false

  return Object.freeze({
    add(event: OutputEvent): Output | undefined {
      switch (event.type) {
        case 'clear':
          if (event.wait) clearsNext = true
          else clear()
          return undefined
        case 'update_display':
          update(event)
          return undefined
        case 'output':
          if (clearsNext) clear()
          return keep(event.output, event.displayId)
      }
    },
    count: () => items.length,
    outputs() {
      const kept = items.map(({ output }) => output)
      if (omitted > 0) kept.push(toMarker(omitted, dropped, maxBytes))
      return kept
    },
    omitted: () => omitted,
  })

  function clear(): void {
    items = []
    bytes = 0
    omitted = 0
    dropped = []
    isCut = false
    clearsNext = false
  }

  function keep(output: Output, displayId: string | undefined): Output | undefined {
    const size = bytesOf(output)
    const free = (output.output_type === 'error' ? room : roomForAll) - bytes - PER_OUTPUT
    const isStream = output.output_type === 'stream'
    if (size <= free && !(isStream && isCut)) return put(output, size, displayId)
    const head = isStream && !isCut ? cutText(output.text, free) : ''
    // Text that went on after a piece that is missing would read as if nothing were.
    if (isStream) isCut = true
    omitted += size - Buffer.byteLength(head)
    if (!isStream && dropped.length < MOST_NAMED) dropped.push(nameOf(output, size))
    return isStream && head !== ''
      ? put({ ...output, text: head }, Buffer.byteLength(head), displayId)
      : undefined
  }

  function put(output: Output, size: number, displayId: string | undefined): Output {
    const last = items.at(-1)
    const previous = last?.output
    if (
      last &&
      previous?.output_type === 'stream' &&
      output.output_type === 'stream' &&
      previous.name === output.name
    ) {
      // Appending costs the same however long the text is already; it is put together when it is read.
      previous.text += output.text
      last.bytes += size
      bytes += size
    } else {
      items.push({ output: { ...output }, bytes: size + PER_OUTPUT, displayId })
      bytes += size + PER_OUTPUT
    }
    return output
  }

  function update({ displayId, data, metadata }: Extract<OutputEvent, { type: 'update_display' }>): void {
    const size = jsonBytes({ data, metadata })
    for (const item of items) {
      const { output } = item
      if (item.displayId !== displayId || !('data' in output)) continue
      const growth = size + PER_UPDATE + PER_OUTPUT - item.bytes
      if (bytes + growth > roomForAll) omitted += size
      else {
        item.output = { ...output, data, metadata }
        item.bytes += growth
        bytes += growth
      }
    }
  }
}

function bytesOf(output: Output): number {
  return output.output_type === 'stream' ? Buffer.byteLength(output.text) : jsonBytes(output)
}

/** As many whole characters as fit. */
function cutText(text: string, maxBytes: number): string {
  if (maxBytes <= 0) return ''
  // A character is at least one byte, so that no more than this has to be looked at.
  const bytes = Buffer.from(text.slice(0, maxBytes))
  let end = Math.min(maxBytes, bytes.length)
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}

function nameOf(output: Output, size: number): string {
  const mime =
    'data' in output
      ? (Object.keys(output.data).find((type) => type !== 'text/plain') ?? 'text/plain')
      : output.output_type
  return `${mime.slice(0, LONGEST_NAME)} of ${size} bytes`
}

function toMarker(omitted: number, dropped: readonly string[], maxBytes: number): Output {
  const names = dropped.length > 0 ? ` (${dropped.join(', ')})` : ''
  return {
    output_type: 'stream',
    name: 'stderr',
    text: `\n[output cut: ${omitted} more bytes were not kept${names}: one execution keeps at most ${maxBytes} bytes, save what is larger to a file]\n`,
  }
}
