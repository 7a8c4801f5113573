import { createLogger } from '@quire/kit/log'
import { createRedactor } from '@quire/kit/redact'
import { expect, test } from 'vitest'
import { createComposerLogger } from './composer-logger.ts'

const SECRET = 'a-secret-that-is-known'

function start() {
  const written: string[] = []
  const lines: unknown[][] = []
  const redactor = createRedactor({ secrets: [SECRET] })
  const logger = createLogger({
    level: 'info',
    pretty: false,
    destination: { write: (line) => written.push(line) },
    redactor,
  })
  const book = { write: (...line: unknown[]) => void lines.push(line) }
  return { written, lines, logger: createComposerLogger({ logger, book, level: 'info', redactor }) }
}

test('lines stand in the log and in the book', () => {
  const { written, lines, logger } = start()
  logger.info('ready')
  logger.warn({ server: 'one', tries: 3, list: [1] }, 'it took long')
  logger.error({ err: new Error('no space left', { cause: new Error('deeper') }) }, 'cannot write')
  logger.child({ part: 'watch' }).error('odd')
  logger.debug('not wanted')
  expect(written).toHaveLength(4)
  expect(lines).toEqual([
    ['INFO', 'composer', 'ready'],
    ['WARNING', 'composer', 'it took long · server=one · tries=3 · list=[1]'],
    ['ERROR', 'composer', 'cannot write · no space left'],
    ['ERROR', 'composer', 'odd · part=watch'],
  ])
})

test('without secrets', () => {
  const { written, lines, logger } = start()
  logger.info({ password: 'hunter2', url: `http://x/?token=${SECRET}` }, `using ${SECRET}`)
  logger.child({ token: 'abcdef' }).info('x')
  for (const text of [JSON.stringify(lines), written.join('')]) {
    expect(text).not.toMatch(new RegExp(`hunter2|abcdef|${SECRET}`))
    expect(text).toContain('[redacted]')
  }
})

test('and the line of every request only in the log', () => {
  const { written, lines, logger } = start()
  logger.vouched({ route: '/x' }, 'request')
  expect([written.length, lines.length]).toEqual([1, 0])
  expect([logger.isLevelEnabled('info'), logger.isLevelEnabled('debug')]).toEqual([true, false])
})
