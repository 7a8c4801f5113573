import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type * as Y from 'yjs'
import { deleteCells, insertCell } from '../document/edit-cells.ts'
import { sources } from '../document/notebook.fixture.ts'
import { sourcesIn } from '../fixtures/notebook-files.ts'
import { type LiveBench, startLiveBench } from './live-bench.fixture.ts'

const structure = { touches: 'structure' } as const
let bench: LiveBench
beforeAll(async () => {
  bench = await startLiveBench()
})
afterEach(() => bench.clean())
afterAll(() => bench?.stop())

test('a first synchronisation that does not finish is an error, and nothing is written', async () => {
  verifies('NB-LIVE-7')
  const { rooms, document, path } = await bench.start(undefined, { documents: { syncMs: 100 } })
  rooms.behave({ mute: true })
  await expect(document.read()).rejects.toThrow(/was not synchronised within 0.1 s/)
  await expect(document.edit(structure, (draft) => insertCell(draft, 0, 'code', 'z'))).rejects.toThrow(
    /not synchronised/,
  )
  expect(sourcesIn(bench.jupyter.root, path)).toHaveLength(3)
  rooms.behave({ mute: false })
  expect(sources((await document.read()).notebook)).toHaveLength(3)
})

test.each([
  ['that holds nothing', {}, /holds no notebook/],
  ['of another format', { nbformat: 5, nbformat_minor: 0, cells: [], metadata: {} }, /format 5/],
  ['of an old format', { nbformat: 3, nbformat_minor: 0, cells: [], metadata: {} }, /old format 3/],
  [
    'with a cell of another kind',
    {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [{ cell_type: 'sql', source: '', metadata: {} }],
    },
    /type "sql"/,
  ],
])('a document %s is an error, never an empty notebook', async (_what, content, message) => {
  const { rooms, document } = await bench.start()
  rooms.behave({ content })
  await expect(document.read()).rejects.toThrow(message)
})

test.each([
  ['a sync frame that breaks off', [0, 2, 50, 1, 2]],
  ['an update of nonsense', [0, 2, 3, 255, 255, 255]],
  ['a sync step that does not exist', [0, 9, 0]],
  ['nothing', []],
])('%s costs a connection and no cell', async (_what, bytes) => {
  const { rooms, document } = await bench.start()
  await document.read()
  rooms.sendToAll(Uint8Array.from(bytes))
  await expect.poll(() => rooms.asked.filter((line) => line.startsWith('WS')).length).toBe(2)
  expect(sources((await document.read()).notebook)).toEqual(['x = 1', '# Title', 'y = 2'])
})

test('frames of kinds that are not known are passed over', async () => {
  const { rooms, document } = await bench.start()
  await document.read()
  for (const bytes of [
    [7, 1, 2],
    [2, 3, 97, 98, 99],
  ])
    rooms.sendToAll(Uint8Array.from(bytes))
  await document.edit(structure, (draft) => deleteCells(draft, [0]))
  expect(rooms.asked.filter((line) => line.startsWith('WS'))).toHaveLength(1)
})

test.each(['5.0.0', '4.0.2'] as const)(
  'a server like %s that restarts has the same cells once, and takes edits again',
  async (version) => {
    const { rooms, document, path, person } = await bench.start(undefined, { server: { version } })
    await document.edit(structure, (draft) => insertCell(draft, 0, 'code', 'first'))
    await document.save()
    rooms.restart()
    const { notebook } = await document.read()
    expect(sources(notebook)).toEqual(['first', 'x = 1', '# Title', 'y = 2'])
    const other = await person()
    await document.edit(structure, (draft) => insertCell(draft, 1, 'code', 'second'))
    await expect.poll(other.sources).toEqual(['first', 'second', 'x = 1', '# Title', 'y = 2'])
    await document.save()
    expect(sourcesIn(bench.jupyter.root, path)).toEqual(other.sources())
  },
)

test('who watches is connected again by itself after a restart', async () => {
  const { rooms, document, person } = await bench.start()
  const told: string[][] = []
  document.watch(({ notebook }) => told.push(sources(notebook)))
  await document.read()
  rooms.restart()
  await expect.poll(() => rooms.asked.filter((line) => line.startsWith('WS')).length).toBe(2)
  const other = await person()
  ;(other.cell(0).get('source') as Y.Text).insert(0, '?')
  await expect.poll(() => told.at(-1)?.[0]).toBe('?x = 1')
})

test('while the server is away readings say so', async () => {
  const { endServer, document } = await bench.start()
  await document.read()
  await endServer()
  const outcome = () =>
    document.read().then(
      () => 'read',
      (error: Error) => error.message,
    )
  await expect.poll(outcome).toMatch(/is away: its connection was lost \(code 1006\)/)
})

test('a notebook that is deleted while it is open is an error that says so, and no room of a missing file is opened', async () => {
  const { rooms, document, path } = await bench.start(undefined, { documents: { freshMs: 0 } })
  await document.read()
  unlinkSync(join(bench.jupyter.root, path))
  await expect(document.read()).rejects.toThrow(/deleted or renamed/)
  await expect(document.edit(structure, (draft) => deleteCells(draft, [0]))).rejects.toThrow(
    /deleted or renamed/,
  )
  expect(rooms.asked.filter((line) => line.startsWith('WS'))).toHaveLength(1)
})
