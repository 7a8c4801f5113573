/** A table for reading: tab-separated, the header first. What would break a row apart becomes a blank. */
export function toTsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return 'No data to display'
  return [header, ...rows].map((row) => row.map(toField).join('\t')).join('\n')
}

function toField(value: string): string {
  return value.replaceAll(ROW_BREAKERS, ' ')
}

/** Tabs, and everything that some reader takes for the end of a line. */
const ROW_BREAKERS = /\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g
