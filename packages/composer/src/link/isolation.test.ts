import { getEventListeners } from 'node:events'
import type { Era } from '@quire/mcp/connection/era'
import { verifies } from '@quire/spec/verifies'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type PlainHttp, startPlainHttp } from '../fixtures/plain-http-server.ts'
import { call, createAsker, createLinks, program, remote, textOf } from './link.fixture.ts'
import type { Link } from './link.ts'
import { answerJson, beginStream, startRawHttp, toResult } from './raw-http.fixture.ts'

const links = createLinks()
let http: PlainHttp | undefined
afterEach(links.closeAll)
afterAll(() => http?.close())

/** Every asker gets its own answers, each of them, and nothing else. */
async function exchange(link: Link, askers: number, each: number, era: Era): Promise<void> {
  const outcomes = Array.from({ length: askers }, async (_unused, asker) => {
    const wrong: string[] = []
    const mine: string[] = []
    const client = createAsker({
      era,
      notify: (_method, { progressToken }) => mine.push(String(progressToken)),
    })
    const calls = Array.from({ length: each }, async (_nothing, n) => {
      const text = `${asker}/${n}/${'x'.repeat((asker * 31 + n * 17) % 500)}`
      const answer = textOf(await call(link, 'echo', { text }, client, { progressToken: `${asker}/${n}` }))
      if (answer !== text && JSON.parse(answer).text !== text) wrong.push(answer)
    })
    await Promise.all(calls)
    expect(wrong).toEqual([])
    expect(getEventListeners(client.signal, 'abort')).toEqual([])
    expect(mine.filter((token) => !token.startsWith(`${asker}/`))).toEqual([])
  })
  await Promise.all(outcomes)
}

test.each([
  [200, 'a raw child', 'rough-server.ts', []],
  [25, 'a child on the SDK', 'plain-server.ts', ['legacy']],
  [25, 'a modern child', 'plain-server.ts', ['modern']],
] as const)('32 askers with %i calls each on %s get their own answers', async (each, _name, file, args) => {
  const { link, told } = await links.open(program(file, ...args))
  await exchange(link, 32, each, 'legacy')
  expect(told.garbage).toBe(0)
})

test('32 askers with 200 calls each over HTTP get their own answers', async () => {
  verifies('CO-PASS-2')
  const raw = await startRawHttp({
    onPost(message, response) {
      const text = JSON.stringify({
        content: [{ type: 'text', text: JSON.stringify(message.params?.arguments) }],
      })
      // Some later than others, so that they overtake each other.
      const answer = () =>
        Number(message.id) % 2 === 0
          ? answerJson(response, message, text)
          : beginStream(response).end(toResult(message.id, text))
      setTimeout(answer, Number(message.id) % 7)
      return true
    },
  })
  try {
    const { link, told } = await links.open(remote(raw.url))
    await exchange(link, 32, 200, 'legacy')
    expect(told.garbage).toBe(0)
  } finally {
    await raw.close()
  }
})

test.each(['legacy', 'modern'] as const)(
  'many askers of the %s era over HTTP get their own answers',
  async (era) => {
    http ??= await startPlainHttp()
    const { link, told } = await links.open(remote(http.url))
    await exchange(link, 16, 10, era)
    expect(told.garbage).toBe(0)
  },
)
