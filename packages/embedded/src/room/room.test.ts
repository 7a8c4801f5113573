import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { YCodeCell } from '@jupyter/ydoc'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { joinRoom, openRawRoom, type RoomClient, saveThrough } from '../fixtures/room-client.ts'
import { notebookOf, type RunningEmbedded, removeFolder, startEmbedded } from '../fixtures/start-embedded.ts'
import { writeFileAtomically } from '../folder/write-file.ts'

let server: RunningEmbedded
let clients: RoomClient[]

async function enter(path = 'n.ipynb', notebook?: RoomClient['notebook']): Promise<RoomClient> {
  const client = await joinRoom(server, path, notebook)
  clients.push(client)
  return client
}

async function sourcesInFile(name = 'n.ipynb'): Promise<string[]> {
  const { cells } = JSON.parse(await server.read(name)) as { cells: { source: string | string[] }[] }
  return cells.map(({ source }) => [source].flat().join(''))
}

beforeEach(async () => {
  clients = []
  server = await startEmbedded()
  await server.put('n.ipynb', notebookOf('a', 'b', 'c'))
})

afterEach(async () => {
  for (const client of clients) client.close()
  await server.stop()
  await removeFolder(server.folder)
})

describe('two clients', () => {
  test('see the document as it is laid out, and the edits and the presence of each other; the file agrees', async () => {
    const [one, two] = [await enter(), await enter()]
    expect(one.sources()).toEqual(['a', 'b', 'c'])
    expect(one.notebook.getState('path')).toBe('n.ipynb')
    expect(one.notebook.getState('dirty')).toBe(false)
    expect(one.notebook.cells[0]?.toJSON()).toMatchObject({
      id: 'cell-0',
      metadata: { trusted: true },
      outputs: [],
    })
    expect(one.notebook.ydoc.getArray('cells').toJSON()[0]).toMatchObject({ execution_state: 'idle' })
    one.notebook.insertCell(1, { cell_type: 'markdown', source: '# new' })
    one.notebook.cells[0]?.updateSource(1, 1, ' = 1')
    two.notebook.cells[1]?.setSource('bb')
    one.notebook.awareness.setLocalStateField('user', { name: 'one' })
    await expect.poll(() => two.sources()).toEqual(['a = 1', '# new', 'bb', 'c'])
    await expect.poll(() => one.sources()).toEqual(['a = 1', '# new', 'bb', 'c'])
    await expect
      .poll(() => [...two.notebook.awareness.getStates().values()].map(({ user }) => user?.name))
      .toContain('one')
    await expect.poll(() => sourcesInFile()).toEqual(['a = 1', '# new', 'bb', 'c'])
    await expect.poll(() => two.notebook.getState('dirty')).toBe(false)
    expect(two.notebook.getState('hash')).toMatch(/^[0-9a-f]{64}$/)
    const file = JSON.parse(await server.read('n.ipynb'))
    expect(file.cells[0]).toEqual({ ...notebookOf('a').cells[0], source: ['a = 1'] })
    one.close()
    await expect.poll(() => two.notebook.awareness.getStates().size).toBe(1)
  })

  test('outputs appended while a cell runs are saved in one piece, without what is said in passing', async () => {
    const one = await enter()
    const cell = one.notebook.cells[0]
    if (cell?.cell_type !== 'code') throw new Error('the first cell is code')
    // The union of cells is not told apart by `cell_type`.
    const code = cell as YCodeCell
    code.executionState = 'running'
    code.setOutputs([{ output_type: 'stream', name: 'stdout', text: 'x'.repeat(20 * 1024 * 1024) }])
    code.appendStreamOutput(0, '\nend')
    code.execution_count = 7
    await expect
      .poll(async () => JSON.parse(await server.read('n.ipynb')).cells[0].execution_count, {
        timeout: 30_000,
      })
      .toBe(7)
    const saved = JSON.parse(await server.read('n.ipynb')).cells[0]
    expect(saved.outputs[0].text.join('').length).toBe(20 * 1024 * 1024 + 4)
    expect(saved).not.toHaveProperty('execution_state')
    const two = await enter()
    expect(two.notebook.cells[0]?.toJSON()).toMatchObject({ execution_count: 7 })
  })
})

describe('the server goes and comes back', () => {
  test('clients resync without doubled cells, with edits made meanwhile', async () => {
    const one = await enter()
    one.notebook.cells[0]?.setSource('saved')
    one.notebook.insertCell(3, { cell_type: 'code', source: 'added' })
    await expect.poll(() => sourcesInFile()).toEqual(['saved', 'b', 'c', 'added'])
    one.provider.disconnect()
    await server.stop()
    one.notebook.cells[1]?.setSource('away')
    server = await startEmbedded({ folder: server.folder })
    const [again, two] = [await enter('n.ipynb', one.notebook), await enter()]
    await expect.poll(() => two.sources()).toEqual(['saved', 'away', 'c', 'added'])
    expect(again.sources()).toEqual(['saved', 'away', 'c', 'added'])
    await expect.poll(() => sourcesInFile()).toEqual(['saved', 'away', 'c', 'added'])
  })

  test('also where the file changed while it was away, and where the history is damaged', async () => {
    const one = await enter()
    one.notebook.cells[0]?.setSource('mine')
    await expect.poll(() => sourcesInFile()).toEqual(['mine', 'b', 'c'])
    one.provider.disconnect()
    await server.stop()
    await server.put('n.ipynb', notebookOf('mine', 'theirs', 'c'))
    server = await startEmbedded({ folder: server.folder })
    const again = await enter('n.ipynb', one.notebook)
    await expect.poll(() => again.sources()).toEqual(['mine', 'theirs', 'c'])
    const { fileId } = await server.session('n.ipynb')
    await server.stop()
    await server.put(`.quire/rooms/${fileId}.bin`, '{"version":1,"hashes":[]}\ngarbage')
    server = await startEmbedded({ folder: server.folder })
    expect((await enter()).sources()).toEqual(['mine', 'theirs', 'c'])
  })

  test('also where it was stopped between what it keeps and the file', async () => {
    await server.stop()
    server = await startEmbedded({
      folder: server.folder,
      async writeFile(path, data) {
        if (path.endsWith('.ipynb')) throw new Error('stopped')
        await writeFileAtomically(path, data)
      },
    })
    const one = await enter()
    one.notebook.cells[0]?.setSource('not in the file')
    one.notebook.insertCell(3, { cell_type: 'code', source: 'added' })
    const two = await enter()
    await expect.poll(() => two.sources()).toEqual(['not in the file', 'b', 'c', 'added'])
    one.provider.disconnect()
    two.close()
    await server.stop()
    expect(await sourcesInFile()).toEqual(['a', 'b', 'c'])
    server = await startEmbedded({ folder: server.folder })
    const again = await enter('n.ipynb', one.notebook)
    await expect.poll(() => sourcesInFile()).toEqual(['not in the file', 'b', 'c', 'added'])
    expect(again.sources()).toEqual(['not in the file', 'b', 'c', 'added'])
  })

  test('a notebook that was deleted meanwhile does not come back in a new one of its name', async () => {
    const empty = { type: 'notebook', format: 'json', content: notebookOf() }
    await server.send('PUT', '/api/contents/new.ipynb', empty)
    const one = await enter('new.ipynb')
    one.notebook.addCell({ cell_type: 'code', source: 'old' })
    await expect.poll(() => sourcesInFile('new.ipynb')).toEqual(['old'])
    one.provider.disconnect()
    await server.stop()
    await rm(join(server.folder, 'new.ipynb'))
    server = await startEmbedded({ folder: server.folder })
    await server.send('PUT', '/api/contents/new.ipynb', empty)
    expect((await enter('new.ipynb')).sources()).toEqual([])
  })

  test('the id of a file stays, the session is another', async () => {
    const before = await server.session('n.ipynb')
    await server.stop()
    server = await startEmbedded({ folder: server.folder })
    const after = await server.session('n.ipynb')
    expect(after.fileId).toBe(before.fileId)
    expect(after.sessionId).not.toBe(before.sessionId)
    const room = await openRawRoom(server, before.fileId, `?sessionId=${before.sessionId}`)
    expect(await room.closed).toEqual({
      code: 1003,
      reason: JSON.stringify({ reason: 'unknown_session', sessionId: before.sessionId, reloadable: true }),
    })
  })
})

describe('the file and the room', () => {
  test('what is written behind its back is merged by cell', async () => {
    const one = await enter()
    const first = one.notebook.cells[0]
    one.notebook.cells[2]?.setSource('local')
    await server.put('n.ipynb', { ...notebookOf('a', 'file', 'c', 'new'), metadata: { title: 'x' } })
    await expect.poll(() => one.sources()).toEqual(['a', 'file', 'local', 'new'])
    expect(one.notebook.cells[0]).toBe(first)
    expect(one.notebook.getMetadata('title')).toBe('x')
    await expect.poll(() => sourcesInFile()).toEqual(['a', 'file', 'local', 'new'])
  })

  test('contents that are put go into the room, and contents that are got come from it', async () => {
    const one = await enter()
    const content = notebookOf('put', 'b', 'c')
    expect((await server.send('PUT', '/api/contents/n.ipynb', { type: 'notebook', content })).status).toBe(
      200,
    )
    await expect.poll(() => one.sources()).toEqual(['put', 'b', 'c'])
    const two = await enter()
    one.notebook.cells[0]?.setSource('live')
    await expect.poll(() => two.sources()).toEqual(['live', 'b', 'c'])
    const got = (await (await server.call('/api/contents/n.ipynb')).json()) as { content: typeof content }
    expect(got.content.cells.map(({ source }) => source)).toEqual(['live', 'b', 'c'])
  })

  test('a rename takes the room along', async () => {
    const one = await enter()
    const before = await server.session('n.ipynb')
    expect((await server.send('PATCH', '/api/contents/n.ipynb', { path: 'm.ipynb' })).status).toBe(200)
    await expect.poll(() => one.notebook.getState('path')).toBe('m.ipynb')
    expect(await server.session('m.ipynb')).toEqual(before)
    one.notebook.cells[0]?.setSource('moved')
    await expect.poll(() => sourcesInFile('m.ipynb')).toEqual(['moved', 'b', 'c'])
    await expect(server.read('n.ipynb')).rejects.toThrow('ENOENT')
  })

  test.each([
    ['by the API', () => server.call('/api/contents/n.ipynb', { method: 'DELETE' })],
    ['behind its back', () => rm(join(server.folder, 'n.ipynb'))],
    ['by moving it away', () => rename(join(server.folder, 'n.ipynb'), join(server.folder, 'gone.ipynb'))],
  ])('one that is deleted %s sends its clients away, and is not written again', async (_how, remove) => {
    const { fileId, sessionId } = await server.session('n.ipynb')
    const room = await openRawRoom(server, fileId, `?sessionId=${sessionId}`)
    await room.next((frame) => frame[0] === 0)
    await remove()
    expect(await room.closed).toMatchObject({ code: 4404 })
    await expect(server.read('n.ipynb')).rejects.toThrow('ENOENT')
  })

  test('a disk that is full: the room lives on, says so, and saves when there is space again', async () => {
    let isFull = false
    await server.stop()
    server = await startEmbedded({
      folder: server.folder,
      async writeFile(path, data) {
        if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        await writeFileAtomically(path, data)
      },
    })
    const one = await enter()
    const { fileId, sessionId } = await server.session('n.ipynb')
    const raw = await openRawRoom(server, fileId, `?sessionId=${sessionId}`)
    isFull = true
    one.notebook.cells[0]?.setSource('kept')
    const two = await enter()
    await expect.poll(() => two.sources()).toEqual(['kept', 'b', 'c'])
    expect(await saveThrough(raw, 1)).toBe('failed')
    expect(two.notebook.getState('dirty')).toBe(true)
    expect(await sourcesInFile()).toEqual(['a', 'b', 'c'])
    const content = notebookOf('x')
    const answer = await server.send('PUT', '/api/contents/other.ipynb', { type: 'notebook', content })
    expect(answer.status).toBe(507)
    isFull = false
    await expect.poll(() => sourcesInFile()).toEqual(['kept', 'b', 'c'])
    await expect.poll(() => two.notebook.getState('dirty')).toBe(false)
    expect(await saveThrough(raw, 2)).toBe('skipped')
    raw.socket.close()
  })
})
