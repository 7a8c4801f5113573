import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type * as Y from 'yjs'
import { deleteCells, insertCell, moveCell } from '../document/edit-cells.ts'
import { overwriteSource } from '../document/edit-source.ts'
import { sources } from '../document/notebook.fixture.ts'
import { createRandom } from '../document/random.fixture.ts'
import { codeCell, markdownCell, sourcesIn, writeNotebook } from '../fixtures/notebook-files.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'
import { ToolError } from '../tool-error.ts'
import { createContents } from '../upstream/contents.ts'
import { createJupyterServer } from '../upstream/server.ts'
import { createDocuments } from './documents.ts'
import { joinRoom, type RoomClient } from './room-client.fixture.ts'
import { type RoomServer, startRoomServer } from './room-server.fixture.ts'

const logger = createSilentLogger()
let jupyter: Jupyter
let rooms: RoomServer
let tools: ToolBench

beforeAll(async () => {
  jupyter = await startJupyter()
  rooms = await startRoomServer({ jupyter })
  tools = await startToolClient({ jupyter: { url: rooms.url, token: jupyter.token } })
})
afterAll(async () => {
  await tools?.close()
  await rooms?.close()
  await jupyter?.stop()
})

const enter = (path: string) => joinRoom({ url: rooms.url, token: jupyter.token }, path)

function outputsOf(person: RoomClient, index: number): unknown {
  return (person.cell(index).get('outputs') as Y.Array<unknown>).toJSON()
}

test('outputs appear to others while a cell runs, are appended to, and end with count and state', async () => {
  const code = [
    'import os, time',
    'print("one", flush=True)',
    'while not os.path.exists("go"): time.sleep(0.01)',
    'print("two", flush=True)',
    '40 + 2',
  ].join('\n')
  writeNotebook(jupyter.root, 'run.ipynb', [codeCell('a', code, 'old'), markdownCell('b', 'text')])
  const opened = await tools.call('use_notebook', { notebook_name: 'run', notebook_path: 'run.ipynb' })
  expect(opened.text).not.toContain('collaboration')
  const person = await enter('run.ipynb')
  const running = tools.call('execute_cell', { cell_index: 0 })
  await expect
    .poll(() => outputsOf(person, 0), { timeout: 20_000 })
    .toEqual([{ output_type: 'stream', name: 'stdout', text: 'one\n' }])
  expect(person.cell(0).get('execution_state')).toBe('running')
  const stream = (person.cell(0).get('outputs') as Y.Array<Y.Map<unknown>>).get(0)
  ;(person.cell(1).get('source') as Y.Text).insert(0, 'a person types: ')
  writeFileSync(join(jupyter.root, 'go'), '')
  const reply = await running
  expect(reply.isError).toBe(false)
  expect(reply.text).toContain('42')
  await expect.poll(() => person.cell(0).get('execution_state')).toBe('idle')
  expect(outputsOf(person, 0)).toMatchObject([
    { output_type: 'stream', text: 'one\ntwo\n' },
    { output_type: 'execute_result', data: { 'text/plain': '42' } },
  ])
  expect((person.cell(0).get('outputs') as Y.Array<unknown>).get(0)).toBe(stream)
  expect(person.cell(0).get('execution_count')).toBe(1)
  expect(person.sources()[1]).toBe('a person types: text')
  // The outputs are the caller's own: nobody else has changed them.
  const cleared = await tools.call('clear_cell_output', { cell_index: 0 })
  expect(cleared.isError, cleared.text).toBe(false)
  await expect.poll(() => outputsOf(person, 0)).toEqual([])
  person.close()
})

test('outputs of a cell that a person deletes while it runs are in the reply alone, and it says so', async () => {
  const code = 'import os, time\nprint("here", flush=True)\nwhile not os.path.exists("go2"): time.sleep(0.01)'
  writeNotebook(jupyter.root, 'gone.ipynb', [codeCell('a', code), markdownCell('b', 'text')])
  await tools.call('use_notebook', { notebook_name: 'gone', notebook_path: 'gone.ipynb' })
  const person = await enter('gone.ipynb')
  const running = tools.call('execute_cell', { cell_index: 0 })
  await expect.poll(() => outputsOf(person, 0), { timeout: 20_000 }).toHaveLength(1)
  person.doc.getArray('cells').delete(0)
  writeFileSync(join(jupyter.root, 'go2'), '')
  const reply = await running
  expect(reply.text).toContain('NOT WRITTEN')
  expect(reply.text).toContain('here')
  expect(person.sources()).toEqual(['text'])
  person.close()
})

test('two people and the tool edit at random, and all of them and the file agree in the end', async () => {
  const path = 'random.ipynb'
  writeNotebook(jupyter.root, path, [codeCell('a', 'x'), markdownCell('b', 'y'), codeCell('c', 'z')])
  const server = createJupyterServer({ url: rooms.url, token: jupyter.token }, { logger })
  const contents = createContents(server)
  const documents = createDocuments({
    server,
    contents: { read: contents.get, write: contents.save },
    logger,
  })
  const document = documents.open(path)
  const people = [await enter(path), await enter(path)] as const
  const random = createRandom(7)
  let refused = 0
  for (let round = 0; round < 300; round += 1) {
    typeAtRandom(people[random.below(2)] ?? people[0], round)
    const seen = await document.read()
    typeAtRandom(people[random.below(2)] ?? people[0], round)
    const { length } = seen.notebook.cells
    const index = random.below(length)
    const action = random.pick(['insert', 'source', 'source', 'move', 'delete'])
    try {
      if (action === 'insert' || length < 3)
        await document.edit({ gap: index, touches: 'structure' }, (draft, { gap }) =>
          insertCell(draft, gap, 'code', `tool ${round}`),
        )
      else
        await document.edit(
          { cells: [{ index }], touches: action === 'source' ? 'source' : 'structure' },
          (draft, { cells: [at = 0] }) => {
            if (action === 'source') overwriteSource(draft, at, `${draft.cells[at]?.source} 🎻 ${round}`)
            else if (action === 'move') moveCell(draft, at, random.below(draft.cells.length))
            else deleteCells(draft, [at])
          },
          { seen },
        )
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'conflict') throw error
      refused += 1
    }
  }
  expect(refused).toBeLessThan(300)
  const { notebook } = await document.save()
  for (const person of people) await expect.poll(person.sources).toEqual(sources(notebook))
  await expect.poll(() => sourcesIn(jupyter.root, path)).toEqual(sources(notebook))
  expect(sources(notebook).join()).not.toContain('\ufffd')
  await document.close()
  for (const person of people) person.close()

  function typeAtRandom(person: RoomClient, round: number): void {
    const cells = person.doc.getArray<Y.Map<unknown>>('cells')
    if (cells.length === 0) return
    const text = person.cell(random.below(cells.length)).get('source') as Y.Text
    const at = random.below(text.length)
    const isInPair = /[\udc00-\udfff]/.test(text.toString()[at] ?? '')
    if (random.below(3) > 0 && !isInPair) text.insert(at, `p${round} `)
    else if (cells.length > 4) cells.delete(random.below(cells.length))
  }
})
