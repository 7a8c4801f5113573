/** The text of a JSON column. Refuses what JSON cannot carry. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`A ${typeof value} has no JSON form: store null instead.`)
  return text
}

/** The caller names the type that was stored; the column is written by `toJson` only. */
export function fromJson<Value>(text: string): Value {
  return JSON.parse(text) as Value
}
