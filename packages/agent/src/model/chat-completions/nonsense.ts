import type { JsonValue } from '../../json.ts'

/** What a server sent has not the shape that it should have. */
export class Nonsense extends Error {
  override readonly name = 'Nonsense'
}

/** Left out and null are both in use for nothing. */
export function toText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  throw new Nonsense('Something that should be a text is none.')
}
