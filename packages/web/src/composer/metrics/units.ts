import type { Measure } from './series.ts'

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const FINE = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

export function toGrouped(value: number): string {
  return WHOLE.format(value)
}

export const FORMATS: Readonly<Record<Measure, (value: number) => string>> = {
  calls: (value) => FINE.format(value),
  errors: (value) => FINE.format(value),
  requests: (value) => FINE.format(value),
  latency: (value) => `${FINE.format(value)} ms`,
  cpu: (value) => `${FINE.format(value)} %`,
  memory: (value) => `${FINE.format(value)} %`,
  servers: (value) => FINE.format(value),
  tools: (value) => FINE.format(value),
}

export const NAMES: Readonly<Record<Measure, string>> = {
  calls: 'Calls of tools a second',
  errors: 'Errors a second',
  requests: 'HTTP requests a second',
  latency: 'Time of a call, mean',
  cpu: 'Processor',
  memory: 'Memory',
  servers: 'Servers that run',
  tools: 'Tools',
}
