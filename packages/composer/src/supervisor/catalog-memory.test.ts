import { readFile, truncate, writeFile } from 'node:fs/promises'
import { type Catalog, EMPTY_CATALOG } from '@quire/mcp/connection/catalog'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RemoteDefinition, ServerDefinition } from '../server-definition.ts'
import { hashDefinition, openCatalogMemory } from './catalog-memory.ts'
import { define } from './links.fixture.ts'
import { createListeningLogger, createScratch } from './scratch.fixture.ts'

const known: Catalog = {
  ...EMPTY_CATALOG,
  tools: [{ name: 'echo', inputSchema: { type: 'object', odd: { kept: true } } }],
  resources: [{ name: 'memo', uri: 'memo://one' }],
}

let scratch: Awaited<ReturnType<typeof createScratch>>
let count = 0
let file = ''
beforeAll(async () => {
  scratch = await createScratch()
})
beforeEach(() => {
  count += 1
  file = scratch.file(`${count}.json`)
})
afterAll(() => scratch.remove())

async function open() {
  const { logger, heard } = createListeningLogger()
  return { memory: await openCatalogMemory({ file, logger }), heard }
}

test('what was saved is there again after a restart, as the server wrote it', async () => {
  const { memory } = await open()
  expect(memory.load('a', 'hash')).toBeUndefined()
  memory.save('a', 'hash', known)
  memory.save('__proto__', 'hash', known)
  await memory.settled()
  const { memory: again, heard } = await open()
  expect(again.load('a', 'hash')).toEqual(known)
  expect(again.load('__proto__', 'hash')).toEqual(known)
  expect(again.load('a', 'another hash')).toBeUndefined()
  expect(heard).toEqual([])
})

test.each([
  ['an empty file', ''],
  ['half a file', '[{"name":"a","hash":"h","catalog":{"tools":['],
  ['no list', '{"a":1}'],
  ['another shape', '[{"name":"a","hash":"h","catalog":{"tools":[]}}]'],
  ['a tool without a name', JSON.stringify([{ name: 'a', hash: 'h', catalog: { ...known, tools: [{}] } }])],
  ['a hostile depth', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
])('%s is forgotten with a warning, and can be written over', async (_what, text) => {
  await writeFile(file, text)
  const { memory, heard } = await open()
  expect(heard).toHaveLength(1)
  expect(memory.load('a', 'h')).toBeUndefined()
  memory.save('a', 'h', known)
  await memory.settled()
  expect((await open()).memory.load('a', 'h')).toEqual(known)
})

test('a file that is far too big is not read', async () => {
  await writeFile(file, '')
  await truncate(file, 65 * 1024 * 1024)
  expect((await open()).heard).toHaveLength(1)
})

test('the number of servers and the size of each are bounded', async () => {
  const { memory } = await open()
  for (let index = 0; index < 510; index += 1) memory.save(`s${index}`, 'h', EMPTY_CATALOG)
  const text = 'x'.repeat(5 * 1024 * 1024)
  memory.save('big', 'h', { ...known, tools: [{ name: text, inputSchema: { type: 'object' } }] })
  await memory.settled()
  const stored: unknown[] = JSON.parse(await readFile(file, 'utf8'))
  expect(stored).toHaveLength(500)
  expect(memory.load('s9', 'h')).toBeUndefined()
  expect(memory.load('s10', 'h')).toBe(EMPTY_CATALOG)
  expect(memory.load('big', 'h')).toBeUndefined()
})

test('the hash is of the program and the names of its secrets, not of their values', () => {
  const hash = (definition: ServerDefinition) => hashDefinition(definition)
  const base = define('a', { env: { TOKEN: 'one' } })
  expect(hash({ ...base, env: { TOKEN: 'two' } })).toBe(hash(base))
  expect(hash({ ...base, readyMs: 1 })).toBe(hash(base))
  const others = [{ env: {} }, { command: ['/bin/other'] as const }, { workingDir: '/tmp' }]
  for (const other of others) expect(hash({ ...base, ...other })).not.toBe(hash(base))
  const remote = {
    ...base,
    transport: 'http',
    url: 'http://a/',
    headers: {},
    program: undefined,
  } satisfies RemoteDefinition
  expect(hash({ ...remote, url: 'http://b/' })).not.toBe(hash(remote))
  expect(hash({ ...base, transport: 'embedded', module: 'a' })).not.toBe(
    hash({ ...base, transport: 'embedded', module: 'b' }),
  )
})
