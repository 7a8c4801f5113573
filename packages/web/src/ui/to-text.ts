/** Of what is a text, a number or a truth; of all else nothing. `String` would throw at an object that has a `toString` of its own. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
