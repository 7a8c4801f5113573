/** Checks what is about to be bound to a statement, alike on both databases. */
export function checkParameter(value: unknown, position: number): void {
  const fault = findFault(value)
  if (fault !== undefined)
    throw new TypeError(`Parameter ${position + 1} of the statement cannot be stored: ${fault}`)
}

function findFault(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value.includes('\0') ? 'text must not hold a NUL character.' : undefined
    case 'number':
      return Number.isFinite(value) ? undefined : `${value} is not a finite number.`
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? undefined : `${value} is past 2^53: store it as text.`
    case 'boolean':
      return 'a flag is stored as 0 or 1.'
    case 'object':
      if (value === null || value instanceof Uint8Array) return undefined
      if (value instanceof Date) return 'a time is stored as toISOString() or as epoch milliseconds.'
      return 'an object is stored as text: toJson(value).'
    default:
      return `a value of type ${typeof value} has no column type: leave the column out or store null.`
  }
}
