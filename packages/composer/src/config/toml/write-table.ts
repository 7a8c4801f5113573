import { isTable, isTableList } from './same-value.ts'
import { writeHeader, writeKey, writeValue } from './write-value.ts'

/** A table or a list of tables with their headers, each a text of its own. */
export function writeSections(path: readonly string[], value: unknown): string[] {
  if (isTableList(value)) return value.map((item) => writeItem(path, item))
  if (!isTable(value)) return []
  const entries = Object.entries(value)
  const plain = entries.filter(([, item]) => !isTable(item) && !isTableList(item))
  const needsHeader = plain.length > 0 || entries.length === 0
  const own = needsHeader ? [[writeHeader(path, false), ...plain.map(writeEntry)].join('\n')] : []
  return [...own, ...entries.flatMap(([key, item]) => writeSections([...path, key], item))]
}

/** One of a list of tables, the tables within it in braces. */
export function writeItem(path: readonly string[], item: Readonly<Record<string, unknown>>): string {
  return [writeHeader(path, true), ...Object.entries(item).map(writeEntry)].join('\n')
}

export function writeEntry([key, value]: readonly [string, unknown]): string {
  return `${writeKey(key)} = ${writeValue(value)}`
}
