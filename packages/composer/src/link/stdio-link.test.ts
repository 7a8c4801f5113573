import { readFileSync } from 'node:fs'
import { verifies } from '@quire/spec/verifies'
import { afterEach, describe, expect, test } from 'vitest'
import { call, createAsker, createLinks, program, rawOf, textOf } from './link.fixture.ts'

const links = createLinks()
afterEach(links.closeAll)

const ROUGH = 'rough-server.ts'

describe('a stdio server', () => {
  test.each([
    ['legacy', '2025-11-25'],
    ['modern', '2026-07-28'],
  ] as const)('of the %s era is greeted, listed and called', async (era, protocolVersion) => {
    const { link } = await links.open(program('plain-server.ts', era))
    expect(link.info()).toMatchObject({
      protocolVersion,
      serverInfo: { name: 'plain', version: '1.2.3' },
      capabilities: { tools: { listChanged: true } },
      instructions: 'Use it for tests.',
    })
    expect([link.eraFor('legacy'), link.eraFor('modern')]).toEqual([era, era])
    expect(link.pid).toBeGreaterThan(0)
    const { tools, prompts, resources, resourceTemplates } = link.catalog()
    expect(tools.map(({ name }) => name)).toContain('echo')
    expect([prompts.length, resources.length, resourceTemplates.length]).toEqual([1, 2, 1])
    const reply = await call(link, 'structured', { a: 1, b: 2 })
    expect(reply).toMatchObject({ era })
    expect(JSON.parse(rawOf(reply))).toMatchObject({
      structuredContent: { sum: 3 },
      _meta: { 'test/origin': 'structured' },
    })
    expect(textOf(await call(link, 'fail'))).toBe('no luck')
    const unknown = await link.request('no/such', {}, createAsker())
    expect(unknown).toMatchObject({ error: { code: -32601 } })
    await link.ping(5000)
    await link.close()
    await expect(link.ended).resolves.toMatchObject({ isClosed: true, isForgotten: false })
  })

  test('is asked for prompts, resources and completions too', async () => {
    const { link } = await links.open(program('plain-server.ts', 'legacy'))
    const asker = createAsker()
    const prompt = await link.request('prompts/get', { name: 'greet', arguments: { name: 'Ada' } }, asker)
    expect(rawOf(prompt)).toContain('Greet Ada')
    const memo = await link.request('resources/read', { uri: 'memo://one' }, asker)
    expect(rawOf(memo)).toContain('a memo')
    const params = {
      ref: { type: 'ref/resource', uri: 'note://{id}' },
      argument: { name: 'id', value: 'al' },
    }
    expect(rawOf(await link.request('completion/complete', params, asker))).toContain('alpha')
  })

  test('sees the few names of our environment that it needs, and no secret', async () => {
    const { link } = await links.open({ ...program(ROUGH), env: { OWN: 'its own' } })
    const environment = readFileSync(`/proc/${link.pid}/environ`, 'utf8')
    expect(environment).toContain('OWN=its own')
    expect(environment).not.toContain('ours alone')
  })

  test('is started without a shell: what one would act on reaches the program as it is', async () => {
    verifies('CO-CMD-5')
    const hostile = ['; exit 3', '$(exit 4)', '`exit 5`', '| cat', '$HOME', '"', "'", '*']
    const { link } = await links.open(program(ROUGH, 'plain', '', ...hostile))
    const [, , ...args] = readFileSync(`/proc/${link.pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
    expect(args).toEqual(['plain', '', ...hostile])
  })

  test.each(['legacy', 'modern'] as const)('of the %s era tells of changes', async (era) => {
    const { link, told } = await links.open(
      program('plain-server.ts', era === 'legacy' ? 'both' : 'modern'),
      {
        knownEra: era,
      },
    )
    await call(link, 'change_tools')
    await expect.poll(() => told.catalog).toContain('tools')
    expect(link.catalog().tools.map(({ name }) => name)).toContain('grown')
  })

  test('tells of a resource while it is subscribed', async () => {
    const { link, told } = await links.open(program('plain-server.ts'), { knownEra: 'legacy' })
    const until = new AbortController()
    await link.subscribe('memo://one', until.signal)
    await call(link, 'touch', { uri: 'memo://one' })
    await expect.poll(() => told.resources).toEqual(['memo://one'])
    until.abort()
    await expect
      .poll(async () => {
        const before = told.resources.length
        await call(link, 'touch', { uri: 'memo://one' })
        await link.ping(5000)
        return told.resources.length - before
      })
      .toBe(0)
  })

  test('without subscriptions says so', async () => {
    const { link } = await links.open(program(ROUGH))
    await expect(link.subscribe('memo://one', new AbortController().signal)).rejects.toMatchObject({
      name: 'RpcFault',
      code: -32601,
    })
  })

  test('is told what clients tell', async () => {
    const { link, told } = await links.open(program(ROUGH))
    await link.notify('notifications/cancelled', { requestId: 'x' })
    await expect.poll(() => told.stderr).toContain('cancelled {"requestId":"x"}')
  })
})

describe('the end of a server', () => {
  test('in the middle of a call is told to all who wait', async () => {
    const { link } = await links.open(program(ROUGH))
    const waiting = [call(link, 'hang'), call(link, 'hang'), call(link, 'exit', { code: 9 })]
    const end = { exitCode: 9, signal: null, stderr: expect.arrayContaining(['leaving in the middle']) }
    for (const outcome of await Promise.allSettled(waiting)) {
      expect(outcome).toMatchObject({
        reason: {
          fault: 'lost',
          message: 'The request has no answer: MCP server "test" ended with exit code 9.',
          end,
        },
      })
    }
    await expect(link.ended).resolves.toMatchObject({
      ...end,
      reason: 'ended with exit code 9',
      isClosed: false,
    })
    await expect(call(link, 'echo')).rejects.toMatchObject({ fault: 'unsent', end })
    await link.close()
  })

  test.each([
    ['exits', 'ended with exit code 7'],
    ['closes-stdout', 'ended'],
  ])('at its start (%s) says why', async (mode, words) => {
    await expect(links.open(program(ROUGH, mode))).rejects.toMatchObject({
      name: 'LinkError',
      fault: 'start',
      message: expect.stringContaining(words),
    })
  })

  test('at its start has its last lines', async () => {
    await expect(links.open(program(ROUGH, 'exits'))).rejects.toMatchObject({
      message: expect.stringContaining('I cannot go on'),
      end: { exitCode: 7, stderr: ['first line', 'I cannot go on'] },
    })
  })

  test('of one that does not speak comes in time', async () => {
    await expect(links.open(program(ROUGH, 'mute'), { readyMs: 600 })).rejects.toMatchObject({
      fault: 'start',
      message: expect.stringContaining('not ready within 0.6 seconds'),
    })
  })

  test('of an attempt comes with its signal', async () => {
    const attempt = new AbortController()
    const opening = links.open(program(ROUGH, 'mute'), { signal: attempt.signal })
    attempt.abort()
    await expect(opening).rejects.toMatchObject({ fault: 'start' })
  })

  test('is asked for without a program', async () => {
    const missing = { ...program(ROUGH), command: ['no-such-program-anywhere'] as const }
    await expect(links.open({ ...missing, command: [...missing.command] })).rejects.toMatchObject({
      fault: 'start',
      message: expect.stringContaining('was not found on PATH'),
    })
  })

  test('that it resists comes all the same, for all that it has started', async () => {
    verifies('CO-SUP-16')
    const { link, told } = await links.open(program(ROUGH, 'stubborn'), {
      stopTimes: { endMs: 100, terminateMs: 100 },
    })
    await expect.poll(() => told.stderr[0]).toBeDefined()
    const { child, grandchild } = JSON.parse(told.stderr[0] ?? '')
    await link.close()
    expect(told.stderr).toContain('SIGTERM ignored')
    await expect.poll(() => [child, grandchild].filter(isRunning)).toEqual([])
    await expect(link.ended).resolves.toMatchObject({ isClosed: true })
  })

  test('of one that dies at the question for its era is no end', async () => {
    const { link } = await links.open(program(ROUGH, 'crashes-on-probe'))
    expect(textOf(await call(link, 'echo', { n: 1 }))).toBe('{"n":1}')
  })
})

/** A zombie answers `kill -0`, so the kernel's own record is asked. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2).charAt(0))
  } catch {
    return false
  }
}
