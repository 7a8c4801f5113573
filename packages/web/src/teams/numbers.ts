const COUNT = new Intl.NumberFormat('en')
const DOLLARS = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
})

export function toGrouped(value: number): string {
  return COUNT.format(value)
}

export function toDollars(value: number): string {
  return DOLLARS.format(value)
}

/** What somebody typed into a field of numbers, which holds nothing else. */
export function toNumber(text: string): number | null {
  return text === '' ? null : Number(text)
}
