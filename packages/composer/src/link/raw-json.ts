import { isUtf8 } from 'node:buffer'
import type { RawJson } from '../rpc.ts'

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
/** Up to here every answer is read once to see that it is JSON; what is longer is believed, for its outline was seen to be sound. */
const CHECKED_BYTES = 64 * 1024

/**
 * A value of a message as it may be put into another one, on any transport: JSON, in UTF-8, on one line. Undefined when it is no JSON.
 * Line ends between its parts become spaces: inside its strings there are none.
 */
export function toRawJson(bytes: Buffer): RawJson | undefined {
  const raw = isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'))
  if (raw.length <= CHECKED_BYTES && !isJson(raw)) return undefined
  blank(raw, NEWLINE)
  blank(raw, CARRIAGE_RETURN)
  return raw
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'))
    return true
  } catch {
    return false
  }
}

function blank(bytes: Buffer, unwanted: number): void {
  for (let at = bytes.indexOf(unwanted); at !== -1; at = bytes.indexOf(unwanted, at + 1)) bytes[at] = SPACE
}
