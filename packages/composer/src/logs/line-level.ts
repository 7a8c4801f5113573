import type { LogLevel } from './log-book.ts'

/** The levels of everybody else: of programs, of our own logger, of the protocol. */
const LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ['trace', 'DEBUG'],
  ['debug', 'DEBUG'],
  ['info', 'INFO'],
  ['notice', 'INFO'],
  ['warn', 'WARNING'],
  ['warning', 'WARNING'],
  ['error', 'ERROR'],
  ['critical', 'CRITICAL'],
  ['fatal', 'CRITICAL'],
  ['alert', 'CRITICAL'],
  ['emergency', 'CRITICAL'],
])

export function toLogLevel(word: string): LogLevel {
  return LEVELS.get(word.toLowerCase()) ?? 'INFO'
}

/** A level word at the start, alone or behind a time, in brackets or not: `[WARN] …`, `2026-11-15 10:00:00,123 - ERROR - …`. */
const FIRST_WORD = /^[\s\d[\](){}<>:.,TZ+/|-]{0,64}?\b([A-Za-z]{4,9})\b/

/** What a program means by a line of its standard error. */
export function guessLevel(line: string): LogLevel {
  const [, word = ''] = FIRST_WORD.exec(line) ?? []
  return toLogLevel(word)
}
