const OTHER = 'other'

/** Each value of a label is a series that is never forgotten: beyond so many, all further ones are one. */
export function createBoundedLabel(most: number): (value: string) => string {
  const known = new Set<string>()
  return function boundLabel(value) {
    if (known.has(value)) return value
    if (known.size >= most) return OTHER
    known.add(value)
    return value
  }
}
