import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createLogger } from '@quire/kit/log'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestContents } from './contents.fixture.ts'
import type { ContentsPort } from './contents-port.ts'
import type { Snapshot } from './document.ts'
import { overwriteSource } from './edit-source.ts'
import { createFileDocument } from './file-document.ts'
import { type After, systemAfter } from './file-watch.ts'
import { code, notebook, sources } from './notebook.fixture.ts'
import { createSharedFolder, type SharedFolder } from './shared-folder.fixture.ts'

const logger = createLogger({ level: 'silent', pretty: false })
const POLL = 2_000
const SETTLE = 100

let jupyter: Jupyter
let contents: ContentsPort
let folder: SharedFolder

beforeAll(async () => {
  jupyter = await startJupyter()
  contents = createTestContents(jupyter)
  folder = createSharedFolder(jupyter.root)
})
afterAll(() => jupyter?.stop())

/** Time passes when the test says so. */
function createHandClock() {
  const waiting = new Set<{ ms: number; callback: () => void }>()
  const after: After = (ms, callback) => {
    const entry = { ms, callback }
    waiting.add(entry)
    return () => waiting.delete(entry)
  }
  function pass(ms: number): void {
    for (const entry of [...waiting].filter((entry) => entry.ms === ms)) {
      waiting.delete(entry)
      entry.callback()
    }
  }
  const pending = () => [...waiting].map(({ ms }) => ms)
  return { after, pass, pending }
}

async function watched(...cells: Parameters<typeof notebook>) {
  const path = folder.nextPath()
  await folder.writeByHand(path, notebook(...cells))
  const clock = createHandClock()
  const told: string[][] = []
  const reads: Promise<unknown>[] = []
  const counting: ContentsPort = {
    ...contents,
    read(target, options) {
      const read = contents.read(target, options)
      reads.push(read)
      return read
    },
  }
  const document = createFileDocument({ path, contents: counting, logger, after: clock.after })
  return {
    path,
    document,
    clock,
    told,
    tell: ({ notebook: book }: Snapshot) => void told.push(sources(book)),
    reads,
    /** One look at the file, to its end. */
    async look(ms = POLL) {
      clock.pass(ms)
      await expect.poll(clock.pending).toContain(POLL)
    },
  }
}

test('a change by somebody else is told once, with the notebook as it is', async () => {
  const { path, document, clock, told, tell, look } = await watched(code('a'))
  await document.read()
  document.watch(tell)
  await look()
  expect(clock.pending()).toEqual([POLL])
  await folder.writeByHand(path, notebook(code('b')))
  await look()
  clock.pass(SETTLE)
  await look()
  expect(clock.pending()).toEqual([POLL])
  expect(told).toEqual([['b']])
  await document.read()
  expect(clock.pending()).toEqual([POLL])
})

test('the first look finds out where to begin when nothing was read before', async () => {
  const { path, document, clock, told, tell, look } = await watched(code('a'))
  document.watch(tell)
  await look(0)
  await folder.writeByHand(path, notebook(code('b')))
  await look()
  clock.pass(SETTLE)
  expect(told).toEqual([['b']])
})

test('changes close together are told once, as the last one left it', async () => {
  const { path, document, clock, told, tell } = await watched(code('a'))
  await document.read()
  document.watch(tell)
  await document.edit({ cells: [{ index: 0 }], touches: 'source' }, (draft) => overwriteSource(draft, 0, 'b'))
  await folder.writeByHand(path, notebook(code('c')))
  await document.read()
  await document.edit({ cells: [{ index: 0 }], touches: 'source' }, (draft) => overwriteSource(draft, 0, 'd'))
  expect(told).toEqual([])
  expect(clock.pending()).toEqual([POLL, SETTLE])
  clock.pass(SETTLE)
  expect(told).toEqual([['d']])
})

test('an edit of our own is told without a look at the file', async () => {
  const { document, clock, told, tell, look } = await watched(code('a'))
  document.watch(tell)
  await look(0)
  await document.edit({ cells: [{ index: 0 }], touches: 'source' }, (draft) => overwriteSource(draft, 0, 'b'))
  clock.pass(SETTLE)
  expect(told).toEqual([['b']])
  await look()
  expect(clock.pending()).toEqual([POLL])
  expect(told).toEqual([['b']])
})

test('an edit of our own is told even before the first look', async () => {
  const { document, clock, told, tell } = await watched(code('a'))
  document.watch(tell)
  await document.edit({ cells: [{ index: 0 }], touches: 'source' }, (draft) => overwriteSource(draft, 0, 'b'))
  clock.pass(SETTLE)
  expect(told).toEqual([['b']])
})

test('the file is looked at only while somebody listens', async () => {
  const { path, document, clock, told, tell, look, reads } = await watched(code('a'))
  await document.read()
  expect(clock.pending()).toEqual([])
  const stopFirst = document.watch(tell)
  const stopSecond = document.watch((snapshot) => tell(snapshot))
  expect(clock.pending()).toEqual([POLL])
  await look()
  expect(reads).toHaveLength(2)
  stopFirst()
  stopFirst()
  expect(clock.pending()).toEqual([POLL])
  await folder.writeByHand(path, notebook(code('b')))
  await look()
  expect(clock.pending()).toContain(SETTLE)
  stopSecond()
  expect(clock.pending()).toEqual([])
  expect(told).toEqual([])
  document.watch(tell)
  expect(clock.pending()).toEqual([POLL])
})

test('a look that nobody waits for any more is the last', async () => {
  const { document, clock, tell, reads } = await watched(code('a'))
  await document.read()
  const stop = document.watch(tell)
  clock.pass(POLL)
  stop()
  await Promise.all(reads)
  await new Promise(setImmediate)
  expect(reads).toHaveLength(2)
  expect(clock.pending()).toEqual([])
})

test('a reading that an edit has overtaken is no news', async () => {
  const path = folder.nextPath()
  await folder.writeByHand(path, notebook(code('a')))
  const clock = createHandClock()
  const gate = Promise.withResolvers<void>()
  let reads = 0
  const slow: ContentsPort = {
    ...contents,
    async read(target, options) {
      reads += 1
      const isSecond = reads === 2
      const state = await contents.read(target, options)
      if (isSecond) await gate.promise
      return state
    },
  }
  const document = createFileDocument({ path, contents: slow, logger, after: clock.after })
  await document.read()
  const told: string[][] = []
  document.watch(({ notebook: book }) => void told.push(sources(book)))
  const reading = document.read()
  await document.edit({ cells: [{ index: 0 }], touches: 'source' }, (draft) => overwriteSource(draft, 0, 'b'))
  clock.pass(SETTLE)
  gate.resolve()
  expect(sources((await reading).notebook)).toEqual(['a'])
  expect(clock.pending()).toEqual([POLL])
  expect(told).toEqual([['b']])
})

test('a file that is gone for a while is found again', async () => {
  const { path, document, clock, told, tell, look } = await watched(code('a'))
  await document.read()
  document.watch(tell)
  await rm(join(jupyter.root, path))
  await look()
  await folder.writeByHand(path, notebook(code('b')))
  await look()
  clock.pass(SETTLE)
  expect(told).toEqual([['b']])
})

test('a listener that fails does not keep the news from others', async () => {
  const { document, clock, told, tell, look } = await watched(code('a'))
  document.watch(() => {
    throw new Error('a listener broke')
  })
  document.watch(tell)
  await look(0)
  await document.edit({ cells: [{ index: 0 }], touches: 'source' }, (draft) => overwriteSource(draft, 0, 'b'))
  clock.pass(SETTLE)
  expect(told).toEqual([['b']])
})

test('closing ends it all', async () => {
  const { path, document, clock, told, tell, look } = await watched(code('a'))
  await document.read()
  document.watch(tell)
  await folder.writeByHand(path, notebook(code('b')))
  await look()
  await document.close()
  expect(clock.pending()).toEqual([])
  document.watch(tell)
  expect(clock.pending()).toEqual([])
  expect(told).toEqual([])
})

test('waiting keeps no process alive', () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const cancel = systemAfter(60_000, () => undefined)
  expect(timers()).toBe(before)
  cancel()
})
