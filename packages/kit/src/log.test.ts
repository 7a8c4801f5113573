import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createLazyLogger } from './lazy-logger.ts'
import { createLogger, LOG_LEVELS } from './log.ts'
import { createRedactor } from './redact.ts'

function collect() {
  const lines: string[] = []
  return { lines, destination: { write: (line: string) => void lines.push(line) } }
}

test('a line is JSON with an ISO time and the level as a word', () => {
  const { lines, destination } = collect()
  createLogger({ level: 'info', pretty: false, destination }).warn({ port: 80 }, 'listening')
  const line = JSON.parse(lines[0] ?? '')
  expect(line).toMatchObject({ level: 'warn', port: 80, msg: 'listening' })
  expect(new Date(line.time).toISOString()).toBe(line.time)
  expect(Object.keys(line)).toEqual(['level', 'time', 'port', 'msg'])
})

test('by default lines go to standard error and nothing to standard output', async () => {
  const script = `
    import { createLogger } from ${JSON.stringify(import.meta.resolve('./log.ts'))}
    createLogger({ level: 'info', pretty: false }).info('to stderr')
    process.kill(process.pid, 'SIGKILL')`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script])
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(output).toBe('')
  expect(JSON.parse(errors).msg).toBe('to stderr')
})

test('every way to hand over a secret is masked', () => {
  const { lines, destination } = collect()
  const redactor = createRedactor({ secrets: ['known-canary'] })
  const logger = createLogger({ level: 'trace', pretty: false, destination, redactor })
  const failure = new Error('refused known-canary', { cause: new Error('because Bearer canary1234567') })
  logger.info('known-canary in a message')
  logger.info({ password: 'canary', url: 'http://u:canary@h/' }, 'fields with known-canary')
  logger.error({ err: failure }, 'failed')
  logger.error(failure)
  logger.child({ token: 'canary', name: 'known-canary' }).child({ apiKey: 'canary' }).info('grandchild')
  redactor.add('later-canary')
  logger.info('later-canary')
  expect(lines).toHaveLength(6)
  expect(lines.join('')).not.toContain('canary')
})

test('an error is written with its stack and its chain of causes, and gives the message when there is none', () => {
  const { lines, destination } = collect()
  const logger = createLogger({ level: 'info', pretty: false, destination })
  const error = new Error('outer', { cause: new TypeError('middle', { cause: new RangeError('inner') }) })
  logger.error({ err: error })
  logger.error(error)
  for (const line of lines.map((text) => JSON.parse(text))) {
    expect(line.msg).toBe('outer')
    expect(line.err.stack).toContain('log.test.ts')
    expect(line.err.cause.cause).toMatchObject({ type: 'RangeError', message: 'inner' })
  }
})

test('a level that is off does not even look at its fields', () => {
  const { lines, destination } = collect()
  const logger = createLogger({ level: 'info', pretty: false, destination })
  const untouchable = new Proxy({}, { ownKeys: () => expect.unreachable('looked') })
  logger.debug(untouchable, 'off')
  logger.child({ a: 1 }).trace(untouchable)
  expect(logger.isLevelEnabled('debug')).toBe(false)
  expect(lines).toEqual([])
})

test('pretty lines name level and message, and the text of others cannot steer the terminal', () => {
  const { lines, destination } = collect()
  const logger = createLogger({ level: 'info', pretty: true, destination })
  logger.info({ server: 'a' }, 'started \u001b]0;owned\u0007 \\u001b \u009b31m')
  const [line = ''] = lines
  expect(line).toContain('INFO')
  expect(line).toContain('started \ufffd]0;owned\ufffd \\u001b \ufffd31m')
  expect(() => JSON.parse(line)).toThrow()
})

test('without colours a pretty entry is one plain line with its day', () => {
  const { lines, destination } = collect()
  const logger = createLogger({ level: 'info', pretty: true, colors: false, destination })
  logger.child({ part: 'x' }).info({ server: 'a', deep: { b: [1, 2] } }, 'started')
  logger.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed')
  logger.error(new TypeError('alone'))
  const text = lines.join('')
  expect(lines).toHaveLength(3)
  expect(text.trimEnd().split('\n')).toHaveLength(3)
  expect(text).not.toContain('\u001b')
  expect(lines[0]).toMatch(
    /^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] INFO: started \{"part":"x","server":"a","deep":\{"b":\[1,2\]\}\}\n$/,
  )
  expect(lines[1]).toMatch(/ERROR: failed .*outer.*log\.test\.ts.*inner/)
  expect(lines[2]).toMatch(/ERROR: alone .*TypeError.*log\.test\.ts/)
})

test.each([
  ['JSON', { pretty: false }],
  ['plain', { pretty: true, colors: false }],
])('a message cannot forge a second line (%s)', (_format, format) => {
  const { lines, destination } = collect()
  const logger = createLogger({ level: 'info', ...format, destination })
  logger.info({ note: 'a\r\nforged' }, 'one\n{"level":"fatal","msg":"forged"}')
  expect(
    lines
      .join('')
      .trimEnd()
      .split(/[\r\n]/),
  ).toHaveLength(1)
})

test('a lazy logger writes what the logger writes, and loads nothing before', async () => {
  const { lines, destination } = collect()
  const options = { level: 'warn', pretty: false, destination } as const
  for (const logger of [createLogger(options), createLazyLogger(options)]) {
    const child = logger.child({ part: 'x' })
    for (const level of LOG_LEVELS) if (level !== 'silent') child[level]({ token: 'canary' }, level)
    logger.vouched({ a: 1 }, 'not at this level')
    logger.error(new Error('alone'))
    for (const level of LOG_LEVELS) lines.push(`${level} ${logger.isLevelEnabled(level)}`)
  }
  const plain = lines.map((line) => line.replace(/"time":"[^"]+"|log\.test\.ts:\d+:\d+|\\n.*?(?=")/g, ''))
  expect(plain.slice(0, plain.length / 2)).toEqual(plain.slice(plain.length / 2))
  expect(plain.length).toBeGreaterThan(2 * LOG_LEVELS.length)

  const script = `
    import { createLazyLogger } from ${JSON.stringify(import.meta.resolve('./lazy-logger.ts'))}
    import { createRequire } from 'node:module'
    const logger = createLazyLogger({ level: 'warn', pretty: false }).child({ part: 'x' })
    logger.info('nothing')
    const isLoaded = () => Object.keys(createRequire('/').cache).some((path) => path.includes('pino'))
    const before = isLoaded()
    logger.warn('something')
    console.log(before, isLoaded())`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script])
  expect(await text(child.stdout)).toBe('false true\n')
})
