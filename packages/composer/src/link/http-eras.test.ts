import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { type PlainHttp, startPlainHttp } from '../fixtures/plain-http-server.ts'
import { call, createAsker, createLinks, rawOf, remote, textOf } from './link.fixture.ts'

const links = createLinks()
let http: PlainHttp | undefined
afterEach(async () => {
  await links.closeAll()
  await http?.close()
})

async function open(era: 'both' | 'legacy' | 'modern', intercept?: (request: IncomingMessage) => void) {
  http = await startPlainHttp({
    era,
    intercept: (request) => {
      intercept?.(request)
      return false
    },
  })
  return links.open(remote(http.url))
}

describe('a server over HTTP', () => {
  test.each([
    ['both', 'legacy', 'modern'],
    ['legacy', 'legacy', 'legacy'],
    ['modern', 'modern', 'modern'],
  ] as const)(
    'that speaks %s answers each client in its era, if it can',
    async (era, forLegacy, forModern) => {
      const { link } = await open(era)
      expect([await link.eraFor('legacy'), await link.eraFor('modern')]).toEqual([forLegacy, forModern])
      const old = await call(link, 'echo', { text: 'to the old' }, createAsker({ era: 'legacy' }))
      const recent = await call(link, 'echo', { text: 'to the new' }, createAsker({ era: 'modern' }))
      expect([old, recent]).toMatchObject([{ era: forLegacy }, { era: forModern }])
      expect([textOf(old), textOf(recent)]).toEqual(['to the old', 'to the new'])
      await link.ping(5000)
    },
  )

  test('is asked once for a session, however many need it, and has it ended', async () => {
    const { link } = await open('both')
    expect(http?.endpoint.sessionCount()).toBe(0)
    await Promise.all(Array.from({ length: 5 }, () => call(link, 'echo', { text: 'a' })))
    expect(http?.endpoint.sessionCount()).toBe(1)
    await link.close()
    await expect.poll(() => http?.endpoint.sessionCount()).toBe(0)
  })

  test('that forgets only the session of the old era is asked for a new one', async () => {
    const sessions = new Set<string>()
    const forgotten = new Set<string>()
    http = await startPlainHttp({
      intercept({ headers }, response) {
        const id = String(headers['mcp-session-id'] ?? '')
        if (id !== '') sessions.add(id)
        if (!forgotten.has(id)) return false
        response.writeHead(404).end()
        return true
      },
    })
    const { link } = await links.open(remote(http.url))
    await call(link, 'echo', { text: 'a' })
    for (const id of sessions) forgotten.add(id)
    await expect(call(link, 'echo', { text: 'b' })).rejects.toMatchObject({ fault: 'forgotten' })
    const reply = await call(link, 'echo', { text: 'c' })
    expect(reply).toMatchObject({ era: 'legacy' })
    expect(textOf(reply)).toBe('c')
    expect(sessions.size).toBe(2)
  })

  test('of the modern era reads in the headers what it is asked', async () => {
    const seen: IncomingHttpHeaders[] = []
    const { link } = await open('modern', ({ headers }) => {
      if (headers['mcp-name'] !== undefined) seen.push(headers)
    })
    await call(link, 'echo', { text: 'a' })
    expect(seen[0]).toMatchObject({
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
      'mcp-protocol-version': '2026-07-28',
    })
    expect(seen[0]).not.toHaveProperty('mcp-session-id')
    const prompt = await link.request('prompts/get', { name: 'Grüße' }, createAsker())
    expect(prompt).toMatchObject({ error: { message: expect.not.stringContaining('header') } })
    expect(seen[1]?.['mcp-name']).toBe('=?base64?R3LDvMOfZQ==?=')
    expect(textOf(await call(link, 'regional', { region: 'Zürich' }))).toBe('Zürich')
    expect(seen[2]?.['mcp-param-region']).toBe('=?base64?WsO8cmljaA==?=')
  })

  test.each(['legacy', 'modern'] as const)(
    'of the %s era shows progress and stops when it is told to',
    async (era) => {
      const { link } = await open(era)
      const steps: unknown[] = []
      const stop = new AbortController()
      const asker = createAsker({
        era,
        signal: stop.signal,
        notify: (method, params) => steps.push([method, params.progressToken, params.progress]),
      })
      await call(link, 'slow', { ms: 5, steps: 2 }, asker, { progressToken: 'p' })
      expect(steps).toEqual([
        ['notifications/progress', 'p', 1],
        ['notifications/progress', 'p', 2],
      ])
      const waiting = call(link, 'slow', { ms: 20, steps: 500 }, asker, { progressToken: 'q' })
      await expect.poll(() => steps.length).toBeGreaterThan(2)
      stop.abort()
      await expect(waiting).rejects.toMatchObject({ fault: 'aborted' })
      const before = steps.length
      await link.ping(5000)
      expect(steps.length).toBe(before)
    },
  )

  test('of the legacy era asks the client that called', async () => {
    const { link } = await open('legacy')
    const asked = (answer: unknown) =>
      createAsker({ capabilities: { elicitation: {}, roots: {}, sampling: {} }, ask: async () => answer })
    const [red, blue] = await Promise.all(
      ['red', 'blue'].map((colour) =>
        call(link, 'ask_elicitation', {}, asked({ action: 'accept', content: { colour } })),
      ),
    )
    expect([red && textOf(red), blue && textOf(blue)]).toEqual([
      'accept: {"colour":"red"}',
      'accept: {"colour":"blue"}',
    ])
    expect(textOf(await call(link, 'ask_roots', {}, asked({ roots: [{ uri: 'file:///here' }] })))).toBe(
      'file:///here',
    )
    expect(textOf(await call(link, 'ask_roots'))).toBe('')
  })

  test('of the modern era answers with its question', async () => {
    const { link } = await open('modern')
    const asker = createAsker({ era: 'modern', capabilities: { elicitation: { form: {} } } })
    expect(JSON.parse(rawOf(await call(link, 'ask_elicitation', {}, asker)))).toMatchObject({
      resultType: 'input_required',
      inputRequests: { colour: { method: 'elicitation/create' } },
    })
    expect(await call(link, 'ask_elicitation', {}, createAsker({ era: 'modern' }))).toMatchObject({
      error: {},
    })
  })

  test.each(['legacy', 'modern'] as const)('of the %s era tells of changes', async (era) => {
    const { link, told } = await open(era)
    await link.subscribe('memo://one', new AbortController().signal)
    await call(link, 'change_tools')
    await expect.poll(() => told.catalog).toContain('tools')
    expect(link.catalog().tools.map(({ name }) => name)).toContain('grown')
    await expect
      .poll(async () => {
        await call(link, 'touch', { uri: 'memo://one' })
        return told.resources
      })
      .toContain('memo://one')
  })
})
