/** Of the protocol, from the least to the most severe. */
const LOG_LEVELS: readonly unknown[] = Object.freeze([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
])

export function isLogLevel(value: unknown): value is string {
  return LOG_LEVELS.includes(value)
}

/** A level that is none is as severe as can be: better shown than lost. */
export function isBelow(level: unknown, threshold: string): boolean {
  const severity = LOG_LEVELS.indexOf(level)
  return severity !== -1 && severity < LOG_LEVELS.indexOf(threshold)
}
