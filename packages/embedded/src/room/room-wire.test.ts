import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { joinRoom, openProvider, openRawRoom, type RoomClient, saveThrough } from '../fixtures/room-client.ts'
import {
  notebookOf,
  type RunningEmbedded,
  removeFolder,
  startEmbedded,
  TOKEN,
} from '../fixtures/start-embedded.ts'

let server: RunningEmbedded
let clients: RoomClient[]

async function enter(path = 'n.ipynb', notebook?: RoomClient['notebook']): Promise<RoomClient> {
  const client = await joinRoom(server, path, notebook)
  clients.push(client)
  return client
}

function enterLobby(name: string): WebsocketProvider {
  const provider = openProvider(server, 'JupyterLab:globalAwareness', new Y.Doc())
  provider.awareness.setLocalStateField('user', { name })
  return provider
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

describe('the wire of a room', () => {
  test('a session: 201 at first, then 200; 404 for a file that is not there; 400 for what is no notebook', async () => {
    const put = (path: string, body: unknown) =>
      server.send('PUT', `/api/collaboration/session/${path}`, body)
    const body = { format: 'json', type: 'notebook' }
    expect((await put('n.ipynb', body)).status).toBe(201)
    const answer = await put('n.ipynb', body)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      ...body,
      fileId: expect.any(String),
      sessionId: expect.any(String),
    })
    expect((await put('none.ipynb', body)).status).toBe(404)
    expect((await put('n.ipynb', {})).status).toBe(400)
    expect((await put('n.ipynb', { format: 'text', type: 'file' })).status).toBe(400)
    expect((await server.call('/api/collaboration/session/n.ipynb')).status).toBe(405)
    expect(
      (await server.call('/api/collaboration/session/n.ipynb', { method: 'PUT', as: null })).status,
    ).toBe(403)
  })

  test('an explicit save is answered', async () => {
    await server.stop()
    server = await startEmbedded({ folder: server.folder, timing: { saveDelayMs: 60_000 } })
    const one = await enter()
    const { fileId, sessionId } = await server.session('n.ipynb')
    const raw = await openRawRoom(server, fileId, `?sessionId=${sessionId}`)
    one.notebook.cells[0]?.setSource('now')
    await raw.next((frame) => frame[0] === 0 && frame[1] === 2 && frame.includes('now'))
    expect(await saveThrough(raw, 300)).toBe('success')
    expect(await sourcesInFile()).toEqual(['now', 'b', 'c'])
    raw.socket.close()
  })

  test('unknown files and sessions, and handshakes without a token', async () => {
    const { fileId, sessionId } = await server.session('n.ipynb')
    expect(await (await openRawRoom(server, 'none', `?sessionId=${sessionId}`)).closed).toMatchObject({
      code: 4404,
    })
    expect(await (await openRawRoom(server, fileId, '')).closed).toMatchObject({ code: 1003 })
    expect(await (await openRawRoom(server, fileId, '?sessionId=x')).closed).toMatchObject({ code: 1003 })
    const query = `?sessionId=${sessionId}`
    await expect(openRawRoom(server, fileId, query, {})).rejects.toThrow('403')
    const inAddress = await openRawRoom(server, fileId, `${query}&token=${TOKEN}`, {})
    await inAddress.next((frame) => frame[0] === 0)
    inAddress.socket.close()
    expect((await server.call(`/api/collaboration/room/json:notebook:${fileId}`)).status).toBe(400)
  })

  test.each([
    ['nothing', []],
    ['half a frame', [0]],
    ['an unknown step', [0, 9, 1, 0]],
    ['an update of garbage', [0, 2, 4, 255, 255, 255, 255]],
    ['a state vector of garbage', [0, 0, 3, 255, 255, 255]],
    ['awareness of garbage', [1, 3, 1, 1, 1]],
    ['a length beyond the frame', [0, 2, 255, 255, 255, 127, 1]],
  ])('%s sends its sender away, and nobody else notices', async (_name, bytes) => {
    const one = await enter()
    const { fileId, sessionId } = await server.session('n.ipynb')
    const raw = await openRawRoom(server, fileId, `?sessionId=${sessionId}`)
    raw.socket.send(Buffer.from(bytes))
    expect(await raw.closed).toMatchObject({ code: 1003 })
    const two = await enter()
    one.notebook.cells[0]?.setSource('fine')
    await expect.poll(() => two.sources()).toEqual(['fine', 'b', 'c'])
  })

  test('a kind of frame that is not known is passed over', async () => {
    const { fileId, sessionId } = await server.session('n.ipynb')
    const raw = await openRawRoom(server, fileId, `?sessionId=${sessionId}`)
    raw.socket.send(Buffer.from([77, 1, 2]))
    expect(await saveThrough(raw, 1)).toBe('skipped')
    raw.socket.close()
  })

  test.each([
    ['older', '{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": []}'],
    ['newer', '{"nbformat": 5, "nbformat_minor": 0, "metadata": {}, "cells": []}'],
    ['odd', '{"nbformat": "4", "nbformat_minor": 5, "metadata": {}, "cells": []}'],
    ['empty', ''],
    ['garbled', '{"nbformat": 4, "cells": ['],
  ])('a notebook of an %s format closes with 4500 and stays as it is', async (_name, text) => {
    await server.put('broken.ipynb', text)
    const { fileId, sessionId } = await server.session('broken.ipynb')
    const raw = await openRawRoom(server, fileId, `?sessionId=${sessionId}`)
    expect(await raw.closed).toMatchObject({ code: 4500 })
    expect(await server.read('broken.ipynb')).toBe(text)
  })

  test('a format that a client writes into the document does not get into the file', async () => {
    const one = await enter()
    one.notebook.ydoc.getMap('meta').set('nbformat', 5)
    one.notebook.cells[0]?.setSource('edited')
    await expect.poll(() => sourcesInFile()).toEqual(['edited', 'b', 'c'])
    expect(JSON.parse(await server.read('n.ipynb'))).toMatchObject({ nbformat: 4 })
  })

  test('everybody is seen in the one room that has no notebook and asks for no session, and nothing is kept there', async () => {
    const [one, two] = [enterLobby('one'), enterLobby('two')]
    try {
      const names = () => [...two.awareness.getStates().values()].map(({ user }) => user?.name)
      await expect.poll(names).toEqual(expect.arrayContaining(['one', 'two']))
      one.doc.getMap('kept').set('x', 1)
      one.awareness.setLocalStateField('user', { name: 'last' })
      await expect.poll(names).toContain('last')
      expect(two.doc.getMap('kept').size).toBe(0)
      one.destroy()
      await expect.poll(names).toEqual(['two'])
    } finally {
      one.destroy()
      two.destroy()
    }
  })
})

describe('bounds', () => {
  test('rooms are let go of, saved, after the last client', async () => {
    await server.stop()
    server = await startEmbedded({
      folder: server.folder,
      timing: { saveDelayMs: 60_000, lingerMs: 50 },
      bounds: { maxRooms: 1, maxPeersPerRoom: 1 },
    })
    await server.put('m.ipynb', notebookOf('m'))
    const one = await enter()
    await expect(joinRoom(server, 'n.ipynb')).rejects.toThrow('closed: 1013')
    await expect(joinRoom(server, 'm.ipynb')).rejects.toThrow('closed: 1013')
    one.notebook.cells[0]?.setSource('let go')
    const watcher = await server.session('n.ipynb')
    await expect.poll(() => one.notebook.getState('dirty')).toBe(true)
    one.close()
    await expect.poll(() => sourcesInFile()).toEqual(['let go', 'b', 'c'])
    await expect
      .poll(() =>
        enter('m.ipynb').then(
          (client) => client.sources(),
          () => [],
        ),
      )
      .toEqual(['m'])
    expect((await server.session('n.ipynb')).fileId).toBe(watcher.fileId)
  })

  test('one that does not read is cut off', async () => {
    await server.stop()
    server = await startEmbedded({ folder: server.folder, bounds: { maxBacklogBytes: 1024 * 1024 } })
    const { fileId, sessionId } = await server.session('n.ipynb')
    const slow = await openRawRoom(server, fileId, `?sessionId=${sessionId}`)
    await slow.next((frame) => frame[0] === 0)
    slow.socket.pause()
    const one = await enter()
    const text = 'x'.repeat(200_000)
    // Paced by what comes back of each, so that the one who writes keeps up with it.
    let connections = 2
    for (let round = 0; connections > 1 && round < 400; round += 1) {
      const echoed = new Promise((resolve) =>
        one.provider.ws?.addEventListener('message', resolve, { once: true }),
      )
      one.notebook.cells[0]?.setSource(text + round)
      await echoed
      const status = (await (await server.call('/api/status')).json()) as { connections: number }
      connections = status.connections
    }
    expect(connections).toBe(1)
    expect(one.provider.ws?.readyState).toBe(WebSocket.OPEN)
    slow.socket.terminate()
  })

  test('a message that is too large closes its connection alone', async () => {
    await server.stop()
    server = await startEmbedded({ folder: server.folder, bounds: { maxMessageBytes: 10_000 } })
    const { fileId, sessionId } = await server.session('n.ipynb')
    const raw = await openRawRoom(server, fileId, `?sessionId=${sessionId}`)
    const one = await enter()
    raw.socket.send(Buffer.alloc(20_000))
    expect(await raw.closed).toMatchObject({ code: 1009 })
    expect(one.provider.ws?.readyState).toBe(WebSocket.OPEN)
  })
})
