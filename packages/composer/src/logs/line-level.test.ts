import { describe, expect, test } from 'vitest'
import { guessLevel, toLogLevel } from './line-level.ts'

describe('the level of a line', () => {
  test.each([
    ['ERROR something broke', 'ERROR'],
    ['error: something broke', 'ERROR'],
    ['Error: something broke', 'ERROR'],
    ['[WARN] careful', 'WARNING'],
    ['WARNING:root:careful', 'WARNING'],
    ['<debug> x', 'DEBUG'],
    ['2026-11-15 10:00:00,123 - ERROR - broken', 'ERROR'],
    ['2026-11-15T10:00:00.123Z [fatal] broken', 'CRITICAL'],
    ['[10:00:00] INFO ready', 'INFO'],
    ['CRITICAL x', 'CRITICAL'],
    ['listening on port 8080', 'INFO'],
    ['no error here', 'INFO'],
    ['errors: 0', 'INFO'],
    ['information', 'INFO'],
    ['Traceback (most recent call last):', 'INFO'],
    ['', 'INFO'],
    [' '.repeat(10_000), 'INFO'],
    [`${'['.repeat(100_000)}ERROR`, 'INFO'],
    [`${'-T'.repeat(50_000)}`, 'INFO'],
  ])('%j is a guess', (line, level) => {
    expect(guessLevel(line)).toBe(level)
  })

  test.each([
    ['debug', 'DEBUG'],
    ['info', 'INFO'],
    ['notice', 'INFO'],
    ['warning', 'WARNING'],
    ['error', 'ERROR'],
    ['critical', 'CRITICAL'],
    ['alert', 'CRITICAL'],
    ['emergency', 'CRITICAL'],
    ['trace', 'DEBUG'],
    ['warn', 'WARNING'],
    ['fatal', 'CRITICAL'],
    ['__proto__', 'INFO'],
    ['', 'INFO'],
  ])('%s of the protocol or of our logger is %s', (word, level) => {
    expect(toLogLevel(word)).toBe(level)
  })
})
