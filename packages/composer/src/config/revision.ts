import { hash } from 'node:crypto'

/** A name for exactly this text. */
export function revisionOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16)
}
