import { verifies } from '@quire/spec/verifies'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import * as Y from 'yjs'
import { deleteCells, insertCell, moveCell } from '../document/edit-cells.ts'
import { overwriteSource } from '../document/edit-source.ts'
import { sources } from '../document/notebook.fixture.ts'
import { codeCell, markdownCell, readNotebookFile, sourcesIn } from '../fixtures/notebook-files.ts'
import { type LiveBench, startLiveBench } from './live-bench.fixture.ts'

const structure = { touches: 'structure' } as const
let bench: LiveBench
beforeAll(async () => {
  bench = await startLiveBench()
})
afterEach(() => bench.clean())
afterAll(() => bench?.stop())

describe('an edit', () => {
  test('is in the document of others at once, and in the file soon', async () => {
    verifies('NB-LIVE-1', 'NB-LIVE-2', 'NB-LIVE-3', 'NB-LIVE-4')
    const { rooms, document, path, person } = await bench.start()
    const other = await person()
    const { notebook } = await document.read()
    expect(document.backend).toBe('live')
    expect(sources(notebook)).toEqual(['x = 1', '# Title', 'y = 2'])
    const { snapshot } = await document.edit({ cells: [{ id: 'a' }], touches: 'source' }, (draft) =>
      overwriteSource(draft, 0, 'x = 10'),
    )
    expect(snapshot.notebook.cells[0]?.source).toBe('x = 10')
    await expect.poll(other.sources).toEqual(['x = 10', '# Title', 'y = 2'])
    await expect.poll(() => sourcesIn(bench.jupyter.root, path)).toEqual(['x = 10', '# Title', 'y = 2'])
    expect(rooms.asked.filter((line) => line.startsWith('PUT')).length).toBeGreaterThan(0)
    expect(rooms.lastHandshake()?.headers.authorization).toContain(bench.jupyter.token)
  })

  test('leaves the cursor of a person in the same text where it was, and the cells beside it the same objects', async () => {
    const { document, person } = await bench.start([codeCell('a', 'first = 1\nsecond = 2\nthird 🎻 = 3')])
    const other = await person()
    const text = other.cell(0).get('source') as Y.Text
    const cursor = Y.createRelativePositionFromTypeIndex(text, text.toString().indexOf('third'))
    await document.edit({ cells: [{ index: 0 }], touches: 'source' }, (draft) =>
      overwriteSource(draft, 0, 'zeroth = 0\nfirst = 1\nthird 🎺 = 33'),
    )
    await expect.poll(other.sources).toEqual(['zeroth = 0\nfirst = 1\nthird 🎺 = 33'])
    const now = Y.createAbsolutePositionFromRelativePosition(cursor, other.doc)
    expect(now?.index).toBe(text.toString().indexOf('third'))
    expect(other.cell(0).get('source')).toBe(text)
  })

  test('is one update, and touches no cell that it does not change', async () => {
    const { document, person } = await bench.start()
    const other = await person()
    await document.read()
    const [first, , last] = [other.cell(0), other.cell(1), other.cell(2)]
    let updates = 0
    other.doc.getArray('cells').observeDeep(() => {
      updates += 1
    })
    await document.edit(structure, (draft) => {
      deleteCells(draft, [1])
      insertCell(draft, 1, 'code', 'new')
      insertCell(draft, -1, 'markdown', 'end')
    })
    await expect.poll(other.sources).toEqual(['x = 1', 'new', 'y = 2', 'end'])
    expect(updates).toBe(1)
    expect(other.cell(0)).toBe(first)
    expect(other.cell(2)).toBe(last)
  })

  test('that moves a cell keeps its id, outputs and text, with ids in the format and without', async () => {
    for (const minor of [5, 4]) {
      const { document, person, path } = await bench.start(
        [codeCell('a', 'x', 'out'), markdownCell('b', 'm'), codeCell('c', 'y')],
        { minor },
      )
      const other = await person()
      const { snapshot } = await document.edit(structure, (draft) => moveCell(draft, 0, 2))
      expect(sources(snapshot.notebook)).toEqual(['m', 'y', 'x'])
      await expect.poll(other.sources).toEqual(['m', 'y', 'x'])
      expect(other.cell(2).get('id')).toBe('a')
      expect(snapshot.notebook.cells[2]).toMatchObject({ outputs: [{ text: 'out' }] })
      expect(snapshot.notebook.cells[2]?.id).toBe(minor === 5 ? 'a' : undefined)
      await document.save()
      expect(readNotebookFile(bench.jupyter.root, path).cells.map(({ source }) => source)).toEqual([
        'm',
        'y',
        'x',
      ])
    }
  })

  test('of what somebody changed meanwhile is refused, and elsewhere it is merged', async () => {
    const { document, person } = await bench.start()
    const other = await person()
    const seen = await document.read()
    ;(other.cell(0).get('source') as Y.Text).insert(0, 'by hand: ')
    await expect.poll(async () => sources((await document.read()).notebook)[0]).toBe('by hand: x = 1')
    const edit = (index: number) =>
      document.edit(
        { cells: [{ index }], touches: 'source' },
        (draft, { cells: [at = -1] }) => overwriteSource(draft, at, 'mine'),
        { seen },
      )
    await expect(edit(0)).rejects.toMatchObject({ code: 'conflict' })
    expect((await edit(2)).merged).toBe(true)
    await expect.poll(other.sources).toEqual(['by hand: x = 1', '# Title', 'mine'])
  })

  test('that throws or changes nothing sends nothing', async () => {
    const { rooms, document, path } = await bench.start()
    const { revision } = await document.read()
    const before = Y.encodeStateVector(rooms.room(path)?.doc ?? new Y.Doc())
    await document.edit(structure, () => undefined)
    await expect(document.edit(structure, (draft) => overwriteSource(draft, 9, 'x'))).rejects.toThrow(/range/)
    expect((await document.read()).revision).toBe(revision)
    expect(Y.encodeStateVector(rooms.room(path)?.doc ?? new Y.Doc())).toEqual(before)
  })
})

test('people see an agent by its name, until it has gone', async () => {
  const { rooms, document, path } = await bench.start()
  const said = () => Buffer.concat(rooms.room(path)?.awareness ?? []).toString('latin1')
  await document.edit(structure, (draft) => overwriteSource(draft, 0, 'x = 2'), { author: 'Ada’s agent' })
  await expect.poll(said).toContain('s agent')
  expect(said()).toContain('"cursors":[{')
  await document.close()
  await expect.poll(() => said().endsWith('null')).toBe(true)
})

test('two who have a notebook open share one connection, and the last one closes it', async () => {
  const { rooms, documents, document, path } = await bench.start()
  const second = documents.open(path)
  await Promise.all([document.read(), second.read(), document.read()])
  expect(rooms.asked.filter((line) => line.startsWith('WS'))).toHaveLength(1)
  await document.close()
  expect(sources((await second.read()).notebook)).toHaveLength(3)
  await expect(document.read()).rejects.toThrow(/let go/)
  await second.close()
})

test('a connection that nobody uses is closed, and made again when it is needed', async () => {
  const { rooms, document } = await bench.start(undefined, { documents: { idleMs: 30 } })
  await document.read()
  await expect.poll(rooms.connected).toBe(0)
  expect(sources((await document.read()).notebook)).toHaveLength(3)
  expect(rooms.asked.filter((line) => line.startsWith('WS'))).toHaveLength(2)
})

test('a change by anybody is told to who watches', async () => {
  const { document, person } = await bench.start()
  const told: string[][] = []
  const stop = document.watch(({ notebook }) => told.push(sources(notebook)))
  await document.read()
  const other = await person()
  ;(other.cell(0).get('source') as Y.Text).insert(0, '!')
  await expect.poll(() => told.at(-1)).toEqual(['!x = 1', '# Title', 'y = 2'])
  stop()
})

describe('save', () => {
  test.each(['5.0.0', '4.0.2'] as const)('has the file written by a server like %s', async (version) => {
    const { document, path } = await bench.start(undefined, {
      server: { version, saveDelayMs: version === '5.0.0' ? 60_000 : 300 },
    })
    await document.edit(structure, (draft) => deleteCells(draft, [0]))
    expect(sourcesIn(bench.jupyter.root, path)).toHaveLength(3)
    await document.save()
    expect(sourcesIn(bench.jupyter.root, path)).toEqual(['# Title', 'y = 2'])
  })

  test('that fails on the server is an error', async () => {
    const { rooms, document } = await bench.start(undefined, { server: { saveDelayMs: 60_000 } })
    rooms.behave({ diskFull: true })
    await document.edit(structure, (draft) => deleteCells(draft, [0]))
    await expect(document.save()).rejects.toThrow(/could not write the file/)
  })
})
