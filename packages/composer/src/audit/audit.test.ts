import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@quire/kit/log'
import { createRedactor } from '@quire/kit/redact'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Audit, type AuditEntry, createAudit } from './audit.ts'

const SECRET = 'a-secret-that-is-known'
const hasFullDevice = existsSync('/dev/full')
let folder: string
let log: string[]
const audits: Audit[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'))
  log = []
})
afterEach(async () => {
  await Promise.all(audits.splice(0).map((audit) => audit.close()))
  await rm(folder, { recursive: true, force: true })
})

function start(file?: string): Audit {
  const redactor = createRedactor({ secrets: [SECRET] })
  const logger = createLogger({
    level: 'info',
    pretty: false,
    destination: { write: (line) => log.push(line) },
    redactor,
  })
  const audit = createAudit({ file, logger, redactor, retryMs: 1, now: () => new Date(0) })
  audits.push(audit)
  return audit
}

const entry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  subject: 'ada',
  method: 'tools/call',
  target: 'one:add',
  server: 'one',
  outcome: 'ok',
  durationMs: 1.234,
  requestId: 'r-1',
  ...more,
})
const lines = async (path: string) => {
  const text = await readFile(path, 'utf8').catch(() => '') // not there yet
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

describe('an audit file', () => {
  test('has one line for each call, and is for its owner alone', async () => {
    const file = join(folder, 'audit.jsonl')
    const audit = start(file)
    audit.record(entry())
    audit.record(entry({ outcome: 'TIMEOUT_ERROR', server: undefined, requestId: undefined }))
    await audit.close()
    expect(await lines(file)).toEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        subject: 'ada',
        method: 'tools/call',
        target: 'one:add',
        server: 'one',
        outcome: 'ok',
        duration_ms: 1.2,
        request_id: 'r-1',
      },
      {
        time: '1970-01-01T00:00:00.000Z',
        subject: 'ada',
        method: 'tools/call',
        target: 'one:add',
        outcome: 'TIMEOUT_ERROR',
        duration_ms: 1.2,
      },
    ])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(audit.lost()).toBe(0)
  })

  test('is added to, not written over', async () => {
    const file = join(folder, 'audit.jsonl')
    await writeFile(file, '{"before":1}\n')
    const audit = start(file)
    audit.record(entry())
    await audit.close()
    expect(await lines(file)).toMatchObject([{ before: 1 }, { subject: 'ada' }])
  })

  test('keeps the order of many, each whole', async () => {
    const file = join(folder, 'audit.jsonl')
    const audit = start(file)
    for (let index = 0; index < 2_000; index += 1) audit.record(entry({ target: `t${index}` }))
    await audit.close()
    expect((await lines(file)).map(({ target }) => target)).toEqual(
      Array.from({ length: 2_000 }, (_, index) => `t${index}`),
    )
  })

  test('that was moved away is followed by a new one', async () => {
    const file = join(folder, 'audit.jsonl')
    const audit = start(file)
    audit.record(entry({ target: 'first' }))
    await vi.waitUntil(async () => (await lines(file)).length === 1, 30_000)
    await rename(file, `${file}.1`)
    audit.record(entry({ target: 'second' }))
    await vi.waitUntil(async () => (await lines(file)).length === 1, 30_000)
    await rm(file)
    audit.record(entry({ target: 'third' }))
    await audit.close()
    expect(await lines(`${file}.1`)).toMatchObject([{ target: 'first' }])
    expect(await lines(file)).toMatchObject([{ target: 'third' }])
    expect(log).toEqual([])
  })

  test.each([
    ['a secret in the target', { target: `file:///x?token=${SECRET}` }, /file:\/\/\/x\?token=\[redacted\]/],
    ['a long target', { target: 'x'.repeat(100_000) }, /characters cut/],
    ['line breaks', { target: 'a\nb\r\nc' }, /a\\nb\\r\\nc/],
    ['half a character', { target: 'a\ud800' }, /a\ufffd/],
  ])('takes %s', async (_what, more, written) => {
    const file = join(folder, 'audit.jsonl')
    const audit = start(file)
    audit.record(entry(more))
    await audit.close()
    const text = await readFile(file, 'utf8')
    expect(text).toMatch(written)
    expect(text).not.toContain(SECRET)
    expect(text.length).toBeLessThan(3_000)
    expect(text.split('\n')).toHaveLength(2)
  })

  test('that cannot be written breaks nothing, is told of once, and gets what waited when it can', async () => {
    const later = join(folder, 'later')
    const audit = start(join(later, 'audit.jsonl'))
    audit.record(entry({ target: 'a' }))
    await vi.waitUntil(() => log.length === 1, 30_000)
    audit.record(entry({ target: 'b' }))
    await mkdir(later)
    await vi.waitUntil(async () => {
      audit.record(entry({ target: 'c' }))
      return (await lines(join(later, 'audit.jsonl'))).length >= 3
    }, 30_000)
    expect((await lines(join(later, 'audit.jsonl'))).slice(0, 3)).toMatchObject([
      { target: 'a' },
      { target: 'b' },
      { target: 'c' },
    ])
    await vi.waitUntil(() => log.length === 2, 30_000)
    expect(log[0]).toContain('the audit file cannot be written')
    expect(log[1]).toContain('the audit file can be written again')
    expect(audit.lost()).toBe(0)
  })

  test.runIf(hasFullDevice)('on a full disk loses lines beyond a bound, and counts them', async () => {
    const audit = start('/dev/full')
    const target = 'x'.repeat(1_000)
    for (let index = 0; index < 6_000; index += 1) audit.record(entry({ target }))
    await vi.waitUntil(() => log.length > 0, 30_000)
    expect(audit.lost()).toBeGreaterThan(1_000)
    await audit.close()
    expect(log).toHaveLength(1)
    expect(log[0]).toContain('ENOSPC')
    audit.record(entry())
    await audit.close()
  })
})

test('without a file entries are lines of the log', () => {
  start().record(entry({ target: `file:///?token=${SECRET}` }))
  expect(log.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'info', msg: 'audit', subject: 'ada', target: 'file:///?token=[redacted]', outcome: 'ok' },
  ])
})
