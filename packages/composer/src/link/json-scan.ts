import { MAX_DEPTH } from '@quire/mcp/json'

/** Where the result of an answer lies in the bytes of its message. */
export interface AnswerSpan {
  readonly id: number
  readonly start: number
  readonly end: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const BRACE_OPEN = 0x7b
const BRACE_CLOSE = 0x7d
const BRACKET_OPEN = 0x5b
const BRACKET_CLOSE = 0x5d
const ZERO = 0x30
const NINE = 0x39
const MAX_ID_DIGITS = 15
/** Past so many bytes of one string, a search is faster than a walk. */
const WALK_BYTES = 48
const FAULT = -1

const KEYS = { jsonrpc: Buffer.from('jsonrpc'), id: Buffer.from('id'), result: Buffer.from('result') }
const VERSION = Buffer.from('"2.0"')

/**
 * Finds the result in `{"jsonrpc":"2.0","id":N,"result":…}`, with its members in any order and any white space, and makes sure that it is one single value:
 * nothing in it can be taken for a member beside it. Undefined for every other message, for the caller to parse.
 */
export function scanAnswer(bytes: Buffer): AnswerSpan | undefined {
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== BRACE_OPEN) return undefined
  let id: number | undefined
  let start: number | undefined
  let end = 0
  let hasVersion = false
  for (;;) {
    at = skipSpace(bytes, at + 1)
    if (bytes[at] !== QUOTE) return undefined
    const keyEnd = skipString(bytes, at + 1)
    if (keyEnd === FAULT) return undefined
    const colon = skipSpace(bytes, keyEnd)
    if (bytes[colon] !== COLON) return undefined
    const valueStart = skipSpace(bytes, colon + 1)
    const valueEnd = skipValue(bytes, valueStart)
    if (valueEnd === FAULT) return undefined
    if (isText(bytes, at + 1, keyEnd - 1, KEYS.jsonrpc)) {
      if (hasVersion || !isText(bytes, valueStart, valueEnd, VERSION)) return undefined
      hasVersion = true
    } else if (isText(bytes, at + 1, keyEnd - 1, KEYS.id)) {
      if (id !== undefined) return undefined
      id = readId(bytes, valueStart, valueEnd)
      if (id === undefined) return undefined
    } else if (start === undefined && isText(bytes, at + 1, keyEnd - 1, KEYS.result)) {
      start = valueStart
      end = valueEnd
    } else {
      return undefined
    }
    at = skipSpace(bytes, valueEnd)
    if (bytes[at] === COMMA) continue
    if (bytes[at] !== BRACE_CLOSE || skipSpace(bytes, at + 1) !== bytes.length) return undefined
    return hasVersion && id !== undefined && start !== undefined ? { id, start, end } : undefined
  }
}

/** The index after one value, `FAULT` when there is none or when it is nested too deeply. */
function skipValue(bytes: Buffer, from: number): number {
  const first = bytes[from]
  if (first === QUOTE) return skipString(bytes, from + 1)
  if (first !== BRACE_OPEN && first !== BRACKET_OPEN) return skipScalar(bytes, from)
  let depth = 0
  let at = from
  while (at < bytes.length) {
    const byte = bytes[at]
    at += 1
    if (byte === QUOTE) {
      at = skipString(bytes, at)
      if (at === FAULT) return FAULT
    } else if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
      depth += 1
      if (depth > MAX_DEPTH) return FAULT
    } else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return FAULT
}

/** A number or a word. */
function skipScalar(bytes: Buffer, from: number): number {
  let at = from
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === COMMA || byte === BRACE_CLOSE || byte === BRACKET_CLOSE || isSpace(byte)) break
    if (byte === QUOTE || byte === COLON || byte === BRACE_OPEN || byte === BRACKET_OPEN) return FAULT
  }
  return at === from ? FAULT : at
}

/** The index after the closing quote. */
function skipString(bytes: Buffer, from: number): number {
  const walked = Math.min(bytes.length, from + WALK_BYTES)
  let at = from
  while (at < walked) {
    const byte = bytes[at]
    if (byte === QUOTE) return at + 1
    at += byte === BACKSLASH ? 2 : 1
  }
  // The walk never stops between a backslash and what it escapes.
  for (let quote = bytes.indexOf(QUOTE, at); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let slash = quote
    while (slash > at && bytes[slash - 1] === BACKSLASH) slash -= 1
    if ((quote - slash) % 2 === 0) return quote + 1
  }
  return FAULT
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  while (isSpace(bytes[at])) at += 1
  return at
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function isText(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[start + index] !== text[index]) return false
  }
  return true
}

function readId(bytes: Buffer, start: number, end: number): number | undefined {
  if (end - start > MAX_ID_DIGITS || (end - start > 1 && bytes[start] === ZERO)) return undefined
  let id = 0
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at]
    if (byte === undefined || byte < ZERO || byte > NINE) return undefined
    id = id * 10 + byte - ZERO
  }
  return id
}
