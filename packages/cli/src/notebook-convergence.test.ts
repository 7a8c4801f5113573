import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { connectToPort, type OfficialClient, startOnPort } from './notebook-clients.fixture.ts'
import { callOnce, createRandom, editOnce } from './notebook-convergence.fixture.ts'
import { type EmbeddedServer, startEmbeddedServer } from './notebook-embedded.fixture.ts'
import { joinRoom, type RoomClient } from './notebook-room.fixture.ts'

const EDITS = 1_000
const DEATH = 100
const RETURN = 110
const PATH = 'shared.ipynb'

let server: EmbeddedServer
let tools: Awaited<ReturnType<typeof startOnPort>>
let tool: OfficialClient
const people: RoomClient[] = []

beforeAll(async () => {
  // The foreign document reads its own cells before they are in it, which is said for each.
  vi.spyOn(console, 'warn').mockReturnValue()
  server = await startEmbeddedServer()
  tools = await startOnPort(server)
  tool = await connectToPort(tools.url, 'legacy')
})
afterEach(() => {
  for (const person of people.splice(0)) person.close()
})
afterAll(async () => {
  await tool?.close()
  await tools?.stop()
  await server?.stop()
})

interface Plain {
  readonly id?: string
  readonly cell_type: string
  readonly source: string | readonly string[]
  readonly outputs?: readonly { readonly text?: string | readonly string[] }[]
}

const lines = (text: string | readonly string[] = '') => [text].flat().join('')
const describeCell = ({ id, cell_type, source, outputs = [] }: Plain) =>
  [id, cell_type, lines(source), ...outputs.map(({ text }) => lines(text))].join('|')

test('two people and a tool client edit one notebook, its server dies and returns, and in the end all three and the file agree', async () => {
  verifies('NB-LIVE-1', 'NB-LIVE-2', 'NB-LIVE-3', 'NB-LIVE-4')
  const cells = ['a', 'b', 'c'].map((id) => ({
    id,
    cell_type: 'code',
    source: `first ${id}`,
    metadata: {},
    outputs: [],
    execution_count: null,
  }))
  const content = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }
  await writeFile(join(server.root, PATH), JSON.stringify(content))
  const opened = await tool.call('use_notebook', { notebook_name: 'n', notebook_path: PATH })
  expect(opened.text).not.toContain('no real-time collaboration')
  people.push(await joinRoom(server, PATH), await joinRoom(server, PATH))

  const refusals: string[] = []
  const hands = people.map(({ notebook }, index) => {
    const [own, random] = [new Set<string>(), createRandom(index + 1)]
    return async (round: number) => {
      for (const turn of [0, 1]) {
        editOnce(notebook, { mark: `[person ${index}, ${round * 2 + turn}]`, own, random })
        await new Promise(setImmediate)
      }
    }
  })
  const [own, random] = [new Set<string>(), createRandom(3)]
  async function editByTool(round: number): Promise<void> {
    const reply = await callOnce(tool, { mark: `[tool, ${round}]`, own, random })
    if (reply.isError) refusals.push(reply.text)
  }
  let returned: Promise<unknown> | undefined
  for (let round = 0; round < EDITS / 5; round += 1) {
    if (round === DEATH) returned = server.dieAndReturn()
    await Promise.all([editByTool(round), ...hands.map((edit) => edit(round))])
    // Until then everybody has worked without a server, and the people go on with the documents that they have.
    if (round === RETURN) await returned?.then(() => Promise.all(people.map((person) => person.rejoin())))
  }
  // Only what somebody else has changed, and what was asked while there was no server.
  for (const text of refusals)
    expect(text).toMatch(/somebody else|is away|closed the live document|Connection error|was replaced/i)

  await expect.poll(views, { timeout: 30_000, interval: 100 }).toSatisfy(isOne)
  expect(refusals.length).toBeLessThan(EDITS / 10)
  const [inFile = []] = await views()
  const ids = inFile.map((line) => line.split('|')[0])
  expect(new Set(ids).size).toBe(ids.length)
  const sources = inFile.map((line) => line.split('|')[2] ?? '')
  const made = sources.flatMap((source) => source.match(/\[[^\]~]+\]/g) ?? [])
  expect(new Set(made).size).toBe(made.length)
  expect(made.length).toBeGreaterThan(20)
})

/** Of the file, of the people and of the tool. */
async function views(): Promise<string[][]> {
  const file = JSON.parse(await readFile(join(server.root, PATH), 'utf8')) as { cells: Plain[] }
  return [
    file.cells.map(describeCell),
    ...people.map(({ notebook }) => (notebook.toJSON().cells as unknown as Plain[]).map(describeCell)),
    await readAll(),
  ]
}

async function readAll(): Promise<string[]> {
  const found: string[] = []
  for (let start: unknown = 0; start !== null; ) {
    const args = { response_format: 'detailed', include_outputs: true, limit: 0, start_index: start }
    const { structured } = await tool.call('read_notebook', args)
    const cells = structured.cells as (Plain & { type: string })[]
    found.push(...cells.map((cell) => describeCell({ ...cell, cell_type: cell.type })))
    start = structured.next_start_index
  }
  return found
}

function isOne(all: readonly (readonly string[])[]): boolean {
  return new Set(all.map((one) => JSON.stringify(one))).size === 1
}
