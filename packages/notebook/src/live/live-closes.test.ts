import { verifies } from '@quire/spec/verifies'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { deleteCells, insertCell } from '../document/edit-cells.ts'
import { overwriteSource } from '../document/edit-source.ts'
import { sources } from '../document/notebook.fixture.ts'
import { codeCell, readNotebookFile, sourcesIn } from '../fixtures/notebook-files.ts'
import { startToolClient } from '../fixtures/tool-client.ts'
import { type LiveBench, startLiveBench } from './live-bench.fixture.ts'

const structure = { touches: 'structure' } as const
let bench: LiveBench
beforeAll(async () => {
  // Its own limit would keep long outputs from us.
  bench = await startLiveBench({ extraArgs: ['--ServerApp.iopub_data_rate_limit=1e10'] })
})
afterEach(() => bench.clean())
afterAll(() => bench?.stop())

const CELLS = ['x = 1', '# Title', 'y = 2']

test.each([1003, 1006, 4404])('a room that sends us away with %i at once is an error', async (code) => {
  verifies('NB-LIVE-7')
  const { rooms, document, path } = await bench.start()
  rooms.behave({ closeWith: code })
  const sentence = `The notebook server closed the live document of "${path}" (code ${code}) before it confirmed what it has. Read the notebook again.`
  await expect(document.read()).rejects.toThrow(sentence)
  await expect(document.edit(structure, (draft) => deleteCells(draft, [0]))).rejects.toThrow(sentence)
  expect(sourcesIn(bench.jupyter.root, path)).toEqual(CELLS)
  rooms.behave({ closeWith: undefined })
  expect(sources((await document.read()).notebook)).toEqual(CELLS)
})

test.each(['5.0.0', '4.0.2'] as const)(
  'a session that a server like %s does not know is an error that gives its reason',
  async (version) => {
    const { rooms, document } = await bench.start(undefined, { server: { version } })
    rooms.behave({ staleSessions: true })
    await expect(document.read()).rejects.toThrow(
      /\(code 1003, ".*(unknown_session|expired).*"\) before it confirmed what it has\. Read the notebook again\./,
    )
    rooms.behave({ staleSessions: false })
    expect(sources((await document.read()).notebook)).toEqual(CELLS)
  },
)

test.each([1000, 1003, 1006, 4404])('a room that closes with %i later is entered again', async (code) => {
  const { rooms, document, path, person } = await bench.start()
  await document.edit(structure, (draft) => insertCell(draft, 0, 'code', 'mine'))
  rooms.hangUp(code, 'the reason')
  await expect.poll(() => rooms.asked.filter((line) => line.startsWith('WS')).length).toBe(2)
  expect(sources((await document.read()).notebook)).toEqual(['mine', ...CELLS])
  await document.edit(structure, (draft) => deleteCells(draft, [0]))
  expect((await person()).sources()).toEqual(CELLS)
  await document.save()
  expect(sourcesIn(bench.jupyter.root, path)).toEqual(CELLS)
})

test('an edit that is cut off says that it may not have arrived, and is there at most once', async () => {
  const { rooms, document } = await bench.start()
  await document.read()
  const edit = document.edit(structure, (draft) => {
    rooms.hangUp(1006)
    insertCell(draft, 0, 'code', 'mine')
  })
  await expect(edit).rejects.toThrow(
    /closed the live document of .* \(code 1006\) before it confirmed what it has\. Read the notebook again\./,
  )
  const now = sources((await document.read()).notebook)
  expect([CELLS, ['mine', ...CELLS]]).toContainEqual(now)
})

test('who leaves, or is let go, while the server is still asked disturbs nobody', async () => {
  const { endServer, documents, path } = await bench.start()
  const [left, letGo, stays] = [documents.open(path), documents.open(path), documents.open(path)]
  const leaving = new AbortController()
  const readings = [left.read(leaving.signal), letGo.read(), stays.read()]
  const outcomes = Promise.allSettled(readings)
  left.watch(() => undefined)
  leaving.abort(new Error('left'))
  await Promise.all([letGo.close(), endServer()])
  const [first, , last] = await outcomes
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'left' } })
  if (last?.status === 'rejected') expect(last.reason).toMatchObject({ code: 'unreachable' })
  await Promise.all([left.close(), stays.close()])
})

test('20 MiB that a cell prints are cut, and it is said in the reply and in the room', async () => {
  const { rooms, document } = await bench.start([codeCell('a', 'print("x" * (20 * 1024 * 1024))')])
  const tools = await startToolClient({ jupyter: { url: rooms.url, token: bench.jupyter.token } })
  try {
    await tools.call('use_notebook', { notebook_name: 'big', notebook_path: document.path })
    const reply = await tools.call('execute_cell', { cell_index: 0 })
    expect(reply.isError).toBe(false)
    const sentence =
      '[an output of 20971552 bytes was left out: at most 10485760 are taken, save what is larger to a file]'
    expect(reply.text).toContain(sentence)
    const [cell] = (await document.read()).notebook.cells
    expect(cell).toMatchObject({ outputs: [{ output_type: 'stream', text: `\n${sentence}\n` }] })
  } finally {
    await tools.close()
  }
})

test('20 MiB of output that a person has in a notebook stay as they are', async () => {
  const text = 'x'.repeat(20 * 1024 * 1024)
  const { document, path, person } = await bench.start([codeCell('a', 'x', text), codeCell('b', 'y')])
  await document.edit({ cells: [{ index: 1 }], touches: 'source' }, (draft) => overwriteSource(draft, 1, 'z'))
  expect((await person()).sources()).toEqual(['x', 'z'])
  await document.save()
  const [cell, other] = readNotebookFile(bench.jupyter.root, path).cells
  expect(cell).toMatchObject({ outputs: [{ output_type: 'stream', text }] })
  expect(other?.source).toBe('z')
})
