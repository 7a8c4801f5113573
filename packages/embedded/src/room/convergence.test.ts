import { afterEach, expect, test } from 'vitest'
import { joinRoom, type RoomClient } from '../fixtures/room-client.ts'
import { notebookOf, type RunningEmbedded, removeFolder, startEmbedded } from '../fixtures/start-embedded.ts'

let server: RunningEmbedded
let clients: RoomClient[] = []

afterEach(async () => {
  for (const client of clients) client.close()
  await server.stop()
  await removeFolder(server.folder)
})

const EDITS = 300

/** Numbers that are the same in every run. */
function createRandom(start: number): (below: number) => number {
  let seed = start
  return (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
}

function edit({ notebook }: RoomClient, random: (below: number) => number, round: number): void {
  const count = notebook.cells.length
  const cell = notebook.cells[random(count)]
  const kind = random(10)
  if (kind < 2 || !cell) notebook.insertCell(random(count + 1), { cell_type: 'code', source: `new ${round}` })
  else if (kind < 3 && count > 3) notebook.deleteCell(random(count))
  else if (kind < 7) cell.updateSource(0, random(cell.source.length + 1), `${round} `)
  else cell.setMetadata('round', round)
}

test('two clients edit at random, a third writes by the contents API, the server goes and returns: all and the file agree', async () => {
  server = await startEmbedded({ timing: { saveDelayMs: 20, pollMs: 50 } })
  await server.put('n.ipynb', notebookOf('a', 'b', 'c'))
  const random = createRandom(11)
  clients = [await joinRoom(server, 'n.ipynb'), await joinRoom(server, 'n.ipynb')]
  for (let round = 0; round < EDITS; round += 1) {
    const client = clients[random(2)]
    if (client) edit(client, random, round)
    if (round % 10 === 0) await new Promise(setImmediate)
    if (round % 50 === 25) await putThroughContents(`put ${round}`)
    if (round === EDITS / 2) await restart()
  }
  await expect.poll(() => isAgreed(), { timeout: 30_000, interval: 50 }).toBe(true)
  const ids = clients[0]?.notebook.cells.map((cell) => cell.getId()) ?? []
  expect(new Set(ids).size).toBe(ids.length)
  const sources = clients[0]?.sources().join('\n') ?? ''
  for (const round of [25, 75, 125, 175, 225, 275])
    expect(sources.split(`put ${round}\n`).length).toBeLessThanOrEqual(2)

  async function putThroughContents(source: string): Promise<void> {
    const read = (await (await server.call('/api/contents/n.ipynb')).json()) as {
      content: { cells: object[] }
    }
    const [added] = notebookOf(`${source}\n`).cells
    read.content.cells.push({ ...added, id: source.replace(' ', '-') })
    const answer = await server.send('PUT', '/api/contents/n.ipynb', {
      type: 'notebook',
      content: read.content,
    })
    expect(answer.status).toBe(200)
    const id = source.replace(' ', '-')
    await expect
      .poll(() => clients.every(({ notebook }) => notebook.cells.some((cell) => cell.getId() === id)))
      .toBe(true)
  }

  /** On the other side of it clients ask for their session again, and go on with the documents that they have. */
  async function restart(): Promise<void> {
    const notebooks = clients.map(({ notebook }) => notebook)
    for (const { provider } of clients) provider.disconnect()
    await server.stop()
    for (const client of clients) edit(client, random, EDITS)
    server = await startEmbedded({ folder: server.folder, timing: { saveDelayMs: 20, pollMs: 50 } })
    clients = await Promise.all(notebooks.map((notebook) => joinRoom(server, 'n.ipynb', notebook)))
  }

  async function isAgreed(): Promise<boolean> {
    const [one, two] = clients
    const file = JSON.parse(await server.read('n.ipynb')) as {
      cells: { id: string; source: string | string[] }[]
    }
    const inFile = file.cells.map(({ id, source }) => `${id}:${[source].flat().join('')}`)
    const [first, second] = [one, two].map((client) =>
      client?.notebook.cells.map((cell) => `${cell.getId()}:${cell.source}`),
    )
    const same = (texts: readonly string[] | undefined) => JSON.stringify(texts) === JSON.stringify(inFile)
    return same(first) && same(second)
  }
})
