import { createLogger } from '@quire/kit/log'
import { expect, test } from 'vitest'
import { ConnectionError } from './errors.ts'
import { createLossLog } from './loss-log.ts'

const HOUR_MS = 3_600_000

function createLog(type: 'stdio' | 'http' = 'stdio') {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) }
  const logger = createLogger({ level: 'info', pretty: false, destination })
  const time = { now: 0 }
  const log = createLossLog({ server: 'files', type, logger, clock: { now: () => time.now } })
  const told = () => lines.map((line): { msg: string } => JSON.parse(line)).map(({ msg }) => msg)
  return { log, lines, time, told }
}

const ERROR = new ConnectionError('lost', `It ended with exit code 1. ${'x'.repeat(5_000)}`, {
  cause: new Error('deep'),
  stderr: ['a line'],
})

test('a server that never comes up is told of once, and again after an hour', () => {
  const { log, lines, time, told } = createLog()
  for (let failures = 1; failures <= 48; failures += 1) {
    log.lost(ERROR, failures)
    time.now += 15_000
  }
  expect(told()).toEqual(['an MCP server could not be started'])
  time.now = HOUR_MS
  log.lost(ERROR, 49)
  log.lost(ERROR, 50)
  expect(told()).toHaveLength(2)
  expect(lines.every((line) => line.length < 1_000)).toBe(true)
  expect(lines.join()).not.toMatch(/"stack"|loss-log\.test/)
})

test('one that was up is lost, and its return is told too', () => {
  const { log, told } = createLog('http')
  log.lost(ERROR, 1)
  log.up()
  log.lost(ERROR, 1)
  log.lost(ERROR, 2)
  log.up()
  expect(told()).toEqual([
    'an MCP server could not be reached',
    'an MCP server is there again',
    'an MCP connection was lost',
    'an MCP server is there again',
  ])
})

test('one that comes and goes floods nothing', () => {
  const { log, told } = createLog()
  log.up()
  for (let failures = 1; failures <= 20; failures += 1) {
    log.lost(ERROR, failures)
    log.up()
  }
  expect(told()).toEqual(['an MCP connection was lost', 'an MCP server is there again'])
})
