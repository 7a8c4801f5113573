import { randomBytes } from 'node:crypto'

/**
 * An id for a row: a UUID of version 7 (RFC 9562), which begins with the time. New rows then stand beside each other, where random ids
 * would write a page of their own for each row and for each of its indexes.
 */
export function createRowId(at = Date.now()): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(at, 0, 6)
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
