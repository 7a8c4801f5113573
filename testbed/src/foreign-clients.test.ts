import { statSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { FULL, hostInKit } from '../../packages/mcp/src/fixtures/kit-host.ts'
import { eventually, isRunning } from '../../packages/mcp/src/fixtures/processes.ts'
import { runConformance, runInspector } from './foreign-clients.ts'

const sample = new URL('../../packages/mcp/src/fixtures/stdio-sample.ts', import.meta.url).pathname
const host = await hostInKit()
afterAll(() => host.close())

const headers = { Authorization: `Bearer ${FULL}` }
const add = ['--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=2', 'b=3']
const onStdio = (...more: string[]) => ({ command: process.execPath, args: [sample, ...more] })

describe('the Inspector', () => {
  test.each(['legacy', 'modern'])('calls a tool over HTTP and over stdio, %s', async (era) => {
    for (const target of [{ url: host.url, headers }, onStdio(era)]) {
      const { code, json, stderr } = await runInspector(target, [...add, '--protocol-era', era])
      expect({ code, json, stderr }).toMatchObject({ code: 0, json: { structuredContent: { sum: 5 } } })
    }
  })

  test('gives the program its environment', async () => {
    const target = { ...onStdio(), env: { GREETING: 'hello' } }
    const { json } = await runInspector(target, ['--method', 'tools/call', '--tool-name', 'environment'])
    expect(JSON.stringify(json)).toContain('GREETING=hello')
  })

  test('says what went wrong: no token, a tool’s own failure', async () => {
    const refused = await runInspector({ url: host.url }, ['--method', 'tools/list'])
    expect(refused.json).toBeUndefined()
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('auth_required')
    const failed = await runInspector(onStdio(), ['--method', 'tools/call', '--tool-name', 'fail'])
    expect(failed).toMatchObject({ code: 5, json: { isError: true } })
  })

  test('is killed when its time is over, and so is the program that it had started', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-inspected-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const starts = join(folder, 'starts')
    const wait = ['--method', 'tools/call', '--tool-name', 'wait', '--tool-arg', 'steps=10000']
    const time = new AbortController()
    const run = expect(runInspector(onStdio('both', starts), wait, time.signal)).rejects.toThrow('enough')
    await eventually('the program has started', () =>
      Boolean(statSync(starts, { throwIfNoEntry: false })?.size),
    )
    time.abort('enough')
    await run
    const pids = (await readFile(starts, 'utf8')).trim().split('\n').map(Number)
    expect(pids).toHaveLength(1)
    expect(pids.filter(isRunning)).toStrictEqual([])
  })
})

describe('the conformance suite', () => {
  test.each([
    ['2025-11-25', 'ping'],
    ['2025-11-25', 'dns-rebinding-protection'],
    ['2026-07-28', 'caching'],
  ])('judges what asks for a token, %s %s', async (revision, scenario) => {
    const { passed, failed, output } = await runConformance(host.url, { revision, scenario, headers })
    expect({ passed, failed }, output).toStrictEqual({ passed: [scenario], failed: [] })
  })

  test('fails what has no token', async () => {
    const { passed, failed } = await runConformance(host.url, { revision: '2025-11-25', scenario: 'ping' })
    expect({ passed, failed }).toStrictEqual({ passed: [], failed: ['ping'] })
  })

  test('runs all that a revision requires, and keeps apart what does not count', async () => {
    const { passed, failed, unscored } = await runConformance(host.url, { revision: '2025-11-25', headers })
    expect(passed).toEqual(expect.arrayContaining(['server-initialize', 'resources-subscribe']))
    expect(failed).toContain('tools-call-image')
    expect(unscored).toStrictEqual(['json-schema-2020-12'])
    expect(failed).not.toContain('json-schema-2020-12')
  })

  test.each([
    ['a scenario that the revision does not have', { revision: '2026-07-28', scenario: 'ping' }],
    ['a revision that there is not', { revision: '1999-01-01' }],
  ])('does not take %s for a success', async (_, options) => {
    await expect(runConformance(host.url, { ...options, headers })).rejects.toThrow('ran nothing')
  })
})
