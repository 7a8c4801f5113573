import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, readFile, writeFile } from 'node:fs/promises'
import { verifies } from '@quire/spec/verifies'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPidRecord, sweepLeftovers } from './pid-record.ts'
import { bootId, identify } from './process-identity.ts'
import { createListeningLogger, createScratch } from './scratch.fixture.ts'

let scratch: Awaited<ReturnType<typeof createScratch>>
let file = ''
let count = 0
const started: ChildProcess[] = []

beforeAll(async () => {
  scratch = await createScratch()
})
beforeEach(() => {
  count += 1
  file = scratch.file(`${count}.json`)
})
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})
afterAll(() => scratch.remove())

/** The leader of a group of its own, as every server is. */
async function startChild(...args: string[]): Promise<number> {
  const child = spawn('/bin/sh', args.length > 0 ? args : ['-c', 'exec sleep 60'], {
    detached: true,
    stdio: 'ignore',
  })
  started.push(child)
  await once(child, 'spawn')
  return child.pid ?? 0
}

/** Of a process that has ended. */
async function goneIdentity() {
  const pid = await startChild('-c', 'exit 0')
  await expect.poll(() => identify(pid)).toBeUndefined()
  return { pid, pgid: pid, startTime: 1 }
}

async function writeRecord(pid: number, extra: object = {}, changes: object = {}): Promise<void> {
  const recorded = {
    boot: bootId(),
    owner: await goneIdentity(),
    processes: [{ name: 'a', ...identify(pid), ...changes }],
  }
  await writeFile(file, JSON.stringify({ ...recorded, ...extra }))
}

describe('the record', () => {
  test('holds what runs, with its start time, and nothing that is gone', async () => {
    const { logger } = createListeningLogger()
    const pid = await startChild()
    const record = createPidRecord({ file, logger })
    record.add('a', pid)
    record.add('gone', (await goneIdentity()).pid)
    await record.settled()
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      boot: bootId(),
      owner: identify(process.pid),
      processes: [{ name: 'a', pid, pgid: pid, startTime: expect.any(Number) }],
    })
    record.remove(pid)
    await record.settled()
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ processes: [] })
  })
})

describe('sweeping', () => {
  test('kills a left-over group, says so, and takes the record away', async () => {
    verifies('CO-SUP-17')
    const { logger, heard } = createListeningLogger()
    const pid = await startChild('-c', 'sleep 60 & echo $! >$0; wait', `${file}.grandchild`)
    await expect.poll(() => readFile(`${file}.grandchild`, 'utf8').catch(() => '')).toMatch(/^\d+\n$/)
    const grandchild = Number(await readFile(`${file}.grandchild`, 'utf8'))
    await writeRecord(pid)
    await sweepLeftovers({ file, logger })
    expect([identify(pid), identify(grandchild)]).toEqual([undefined, undefined])
    expect(heard).toEqual(['a process that an earlier composer left running is killed'])
    await expect(access(file)).rejects.toThrow()
  })

  test.each([
    ['another start time', {}, { startTime: 1 }],
    ['another group', {}, { pgid: 99_999 }],
    ['another run of the machine', { boot: 'another' }, {}],
    ['an owner that lives', { owner: identify(process.pid) }, {}],
  ])('spares a process with %s', async (_what, extra, changes) => {
    verifies('CO-SUP-18')
    const { logger, heard } = createListeningLogger()
    const pid = await startChild()
    await writeRecord(pid, extra, changes)
    await sweepLeftovers({ file, logger })
    expect(identify(pid)).toBeDefined()
    expect(heard).toEqual([])
  })

  test.each([
    ['no file', undefined, 0],
    ['an empty file', '', 1],
    ['no JSON', '{"boot":', 1],
    ['another shape', '[]', 1],
    ['everybody', '{"boot":"B","owner":{"pid":-1,"pgid":-1,"startTime":1},"processes":[]}', 1],
    [
      'the first process',
      '{"boot":"B","owner":{"pid":9,"pgid":9,"startTime":1},"processes":[{"name":"a","pid":1,"pgid":1,"startTime":0}]}',
      1,
    ],
    ['texts for numbers', '{"boot":"B","owner":{"pid":"9","pgid":9,"startTime":1},"processes":[]}', 1],
  ])('a record of %s kills nobody', async (_what, text, warnings) => {
    const { logger, heard } = createListeningLogger()
    if (text !== undefined) await writeFile(file, text.replace('"B"', JSON.stringify(bootId())))
    await sweepLeftovers({ file, logger })
    expect(heard).toHaveLength(warnings)
  })
})
