import { verifies } from '@quire/spec/verifies'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { overwriteSource } from '../document/edit-source.ts'
import { sources } from '../document/notebook.fixture.ts'
import { codeCell, sourcesIn, writeNotebook } from '../fixtures/notebook-files.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createContents } from '../upstream/contents.ts'
import { createJupyterServer } from '../upstream/server.ts'
import { createDocuments } from './documents.ts'
import { type LiveBench, startLiveBench } from './live-bench.fixture.ts'

const logger = createSilentLogger()
const structure = { touches: 'structure' } as const
let bench: LiveBench
beforeAll(async () => {
  bench = await startLiveBench({ password: 'test-pass' })
})
afterEach(() => bench.clean())
afterAll(() => bench?.stop())

test('by password the room gets the cookies of the session, and no token', async () => {
  verifies('NB-LIVE-5')
  const { rooms, document } = await bench.start(undefined, {
    target: { token: undefined, password: 'test-pass' },
  })
  expect(sources((await document.read()).notebook)).toHaveLength(3)
  expect(document.backend).toBe('live')
  expect(rooms.lastHandshake()?.headers.cookie).toMatch(/username-/)
  expect(rooms.lastHandshake()?.headers.authorization).toBeUndefined()
})

test('a handshake that is refused leads to one login and one retry', async () => {
  verifies('NB-LIVE-6')
  const { rooms, document } = await bench.start(undefined, {
    target: { token: undefined, password: 'test-pass' },
  })
  rooms.behave({ refusals: 1 })
  expect(sources((await document.read()).notebook)).toHaveLength(3)
  expect(rooms.asked.filter((line) => line.startsWith('WS'))).toHaveLength(2)
  expect(rooms.asked.filter((line) => line === 'POST /login')).toHaveLength(2)
  const refused = await bench.start(undefined, { target: { token: undefined, password: 'test-pass' } })
  refused.rooms.behave({ refusals: 2 })
  await expect(refused.document.read()).rejects.toMatchObject({ code: 'refused' })
  expect(refused.rooms.asked.filter((line) => line.startsWith('WS'))).toHaveLength(2)
})

test('a session that is refused leads to one login and one retry', async () => {
  verifies('NB-LIVE-6')
  const byPassword = { target: { token: undefined, password: 'test-pass' } }
  const once = await bench.start(undefined, byPassword)
  once.rooms.behave({ sessionRefusals: 1 })
  expect(sources((await once.document.read()).notebook)).toHaveLength(3)
  expect(once.rooms.asked.filter((line) => line === 'POST /login')).toHaveLength(2)
  const twice = await bench.start(undefined, byPassword)
  twice.rooms.behave({ sessionRefusals: 2 })
  await expect(twice.document.read()).rejects.toThrow(
    /api\/collaboration\/session\/live%20\d+\.ipynb.*It was refused again right after a new login/,
  )
  expect(twice.rooms.asked.filter((line) => line.startsWith('WS'))).toHaveLength(0)
})

test.each([
  ['a token', {}],
  ['a password', { token: undefined, password: 'test-pass' }],
])('under the prefix of a hub, by %s, sessions and rooms are asked for there', async (_how, target) => {
  verifies('NB-LIVE-1', 'NB-LIVE-2')
  const hub = await startLiveBench({ password: 'test-pass', baseUrl: '/user/ada' })
  try {
    const { rooms, document, person } = await hub.start(undefined, { target })
    await document.edit(structure, (draft) => overwriteSource(draft, 0, 'x = 11'))
    expect(document.backend).toBe('live')
    const asked = rooms.asked.filter((line) => !line.startsWith('POST'))
    expect(asked.length).toBeGreaterThan(1)
    for (const line of asked) expect(line).toMatch(/^(PUT|WS) \/user\/ada\/api\/collaboration\//)
    const other = await person()
    expect(other.sources()[0]).toBe('x = 11')
  } finally {
    await hub.stop()
  }
})

test('the token goes into the address only where that is allowed', async () => {
  verifies('NB-LIVE-8')
  const strict = await bench.start()
  strict.rooms.behave({ queryTokenOnly: true })
  await expect(strict.document.read()).rejects.toThrow(/NOTEBOOKHUB_ALLOW_TOKEN_IN_URL/)
  const lax = await bench.start(undefined, { target: { allowTokenInUrl: true } })
  lax.rooms.behave({ queryTokenOnly: true })
  expect(sources((await lax.document.read()).notebook)).toHaveLength(3)
  expect(lax.rooms.lastHandshake()?.url).toContain(`token=${bench.jupyter.token}`)
})

test('a server without rooms is worked with by its files, which is said once', async () => {
  const path = 'no rooms.ipynb'
  writeNotebook(bench.jupyter.root, path, [codeCell('a', 'x')])
  const server = createJupyterServer({ url: bench.jupyter.url, token: bench.jupyter.token }, { logger })
  const contents = createContents(server)
  const documents = createDocuments({
    server,
    contents: { read: contents.get, write: contents.save },
    logger,
  })
  const document = documents.open(path)
  await expect(documents.open('missing.ipynb').read()).rejects.toMatchObject({ code: 'not_found' })
  expect(documents.note()).toBeUndefined()
  await document.edit(structure, (draft) => overwriteSource(draft, 0, 'y'))
  expect(document.backend).toBe('file')
  expect(sourcesIn(bench.jupyter.root, path)).toEqual(['y'])
  expect(documents.note()).toMatch(/no real-time collaboration/)
  expect(documents.note()).toBeUndefined()
})
