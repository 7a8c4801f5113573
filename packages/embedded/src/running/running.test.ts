import {
  KernelManager,
  type KernelMessage,
  KernelSpecAPI,
  SessionAPI,
  SessionManager,
} from '@jupyterlab/services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { V1_PROTOCOL } from '../channels/kernel-wire.ts'
import { servicesSettings } from '../fixtures/services.ts'
import { type RunningEmbedded, removeFolder, startEmbedded, TOKEN } from '../fixtures/start-embedded.ts'

let server: RunningEmbedded

beforeAll(async () => {
  server = await startEmbedded({ bounds: { maxKernels: 6 } })
})

afterAll(async () => {
  await server.stop()
  expect(server.scripted.open.size).toBe(0)
  await removeFolder(server.folder)
})

describe("JupyterLab's kernel and session managers", () => {
  test('start, execute, interrupt, restart, shut down', async () => {
    const serverSettings = servicesSettings(server)
    const manager = new KernelManager({ serverSettings })
    await manager.ready
    const kernel = await manager.startNew({ name: 'echo' })
    const texts: string[] = []
    const future = kernel.requestExecute({ code: 'hello' })
    future.onIOPub = (message) => {
      if (message.header.msg_type === 'stream') texts.push((message as KernelMessage.IStreamMsg).content.text)
    }
    expect((await future.done)?.content).toMatchObject({ status: 'ok', execution_count: 1 })
    expect(texts).toEqual(['hello'])
    await kernel.interrupt()
    await kernel.restart()
    expect((await kernel.requestExecute({ code: 'again' }).done)?.content.execution_count).toBe(1)
    await kernel.shutdown()
    expect(await (await server.call('/api/kernels')).json()).toEqual([])
    manager.dispose()
  })

  test('one session for one path, which is patched and removed', async () => {
    const serverSettings = servicesSettings(server)
    const request = { path: 'a.ipynb', name: 'a.ipynb', type: 'notebook', kernel: { name: 'echo' } }
    const first = await SessionAPI.startSession(request, serverSettings)
    expect(await SessionAPI.startSession(request, serverSettings)).toMatchObject({ id: first.id })
    expect(await SessionAPI.listRunning(serverSettings)).toHaveLength(1)
    const moved = await SessionAPI.updateSession({ id: first.id, path: 'b.ipynb' }, serverSettings)
    expect(moved).toMatchObject({ path: 'b.ipynb', kernel: { id: first.kernel?.id } })
    const other = { id: first.id, kernel: { name: 'echo' } as never }
    const changed = await SessionAPI.updateSession(other, serverSettings)
    expect(changed.kernel?.id).not.toBe(first.kernel?.id)
    expect(server.scripted.open.size).toBe(1)
    await SessionAPI.shutdownSession(first.id, serverSettings)
    expect(await SessionAPI.listRunning(serverSettings)).toEqual([])
    expect(server.scripted.open.size).toBe(0)
  })

  test('a session manager connects to its kernel', async () => {
    const serverSettings = servicesSettings(server)
    const kernelManager = new KernelManager({ serverSettings })
    const manager = new SessionManager({ serverSettings, kernelManager })
    await manager.ready
    const session = await manager.startNew({
      path: 's.ipynb',
      name: 's',
      type: 'notebook',
      kernel: { name: 'echo' },
    })
    expect((await session.kernel?.info)?.implementation).toBe('echo')
    await session.shutdown()
    manager.dispose()
    kernelManager.dispose()
  })

  test('kernelspecs', async () => {
    const specs = await KernelSpecAPI.getSpecs(servicesSettings(server))
    expect(specs).toMatchObject({ default: 'echo', kernelspecs: { echo: { display_name: 'Echo' } } })
  })
})

describe('the channels', () => {
  test.each([
    ['the binary sub-protocol', [V1_PROTOCOL], V1_PROTOCOL],
    ['no sub-protocol', [], ''],
    ['an unknown one beside the known', ['x.y', V1_PROTOCOL], V1_PROTOCOL],
  ])('%s', async (_name, offered, chosen) => {
    const { id } = (await (await server.send('POST', '/api/kernels', { name: 'echo' })).json()) as {
      id: string
    }
    const socket = await open(id, offered)
    expect(socket.protocol).toBe(chosen)
    const frames = collect(socket)
    socket.send('garbage')
    socket.send(Buffer.from([1, 2, 3]))
    socket.send(Buffer.alloc(64, 0xff))
    socket.send(execute('buffers', 'mine', chosen !== ''), { binary: chosen !== '' })
    await expect.poll(() => frames.some((frame) => frame.includes('execute_reply'))).toBe(true)
    expect(
      frames.some((frame) => frame.includes('display_data') && frame.endsWith('\u0001\u0002\u0003')),
    ).toBe(true)
    socket.close()
    await server.call(`/api/kernels/${id}`, { method: 'DELETE' })
  })

  test('replies go to the session that asked, everything else to all; 20 MiB pass', async () => {
    const { id } = (await (await server.send('POST', '/api/kernels', {})).json()) as { id: string }
    const [mine, other] = await Promise.all([open(id, []), open(id, [])])
    const [asked, watched] = [collect(mine), collect(other)]
    const list = (await (await server.call('/api/kernels')).json()) as { connections: number }[]
    expect(list[0]?.connections).toBe(2)
    mine.send(execute('big', 'mine', false))
    await expect.poll(() => asked.some((frame) => frame.includes('execute_reply'))).toBe(true)
    await expect.poll(() => watched.at(-1)?.includes('idle')).toBe(true)
    expect(watched.some((frame) => frame.includes('execute_reply'))).toBe(false)
    expect(Math.max(...watched.map((frame) => frame.length))).toBeGreaterThan(20 * 1024 * 1024)
    mine.close()
    const sentAway = new Promise((resolve) => other.once('close', resolve))
    await server.call(`/api/kernels/${id}`, { method: 'DELETE' })
    expect(await sentAway).toBe(1000)
  })

  test('who has no token, or asks for an unknown kernel, is refused at the handshake', async () => {
    await expect(open('none', [])).rejects.toThrow('404')
    await expect(open('none', [], '')).rejects.toThrow('403')
    await expect(open('none', [], '?token=wrong')).rejects.toThrow('403')
    expect((await server.call('/api/kernels/none/channels')).status).toBe(404)
  })
})

describe('bounds and unknown ids', () => {
  test('no more kernels than the bound', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.send('POST', '/api/kernels', {})),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(6).fill(201), 503, 503])
    for (const id of [...server.scripted.open]) await server.call(`/api/kernels/${id}`, { method: 'DELETE' })
  })

  test.each([
    ['GET', '/api/kernels/none', undefined, 404],
    ['DELETE', '/api/kernels/none', undefined, 404],
    ['POST', '/api/kernels/none/interrupt', undefined, 404],
    ['POST', '/api/kernels/none/restart', undefined, 404],
    ['GET', '/api/sessions/none', undefined, 404],
    ['PATCH', '/api/sessions/none', { path: 'x' }, 404],
    ['DELETE', '/api/sessions/none', undefined, 404],
    ['POST', '/api/sessions', { type: 'notebook' }, 400],
    ['POST', '/api/sessions', undefined, 400],
    ['POST', '/api/sessions', { path: 'x', type: 'notebook', kernel: { name: 'none' } }, 501],
    ['POST', '/api/sessions', { path: 'x', type: 'notebook', kernel: { id: 'none' } }, 404],
    ['GET', '/api/kernelspecs/none', undefined, 404],
  ])('%s %s %j: %i', async (method, path, body, status) => {
    const answer = body ? await server.send(method, path, body) : await server.call(path, { method })
    expect(answer.status).toBe(status)
  })
})

function open(id: string, protocols: string[], query = `?token=${TOKEN}`): Promise<WebSocket> {
  const address = `${server.url.replace('http', 'ws')}/api/kernels/${id}/channels${query}`
  const socket = new WebSocket(address, protocols)
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
  })
}

function collect(socket: WebSocket): string[] {
  const frames: string[] = []
  socket.on('message', (data: Buffer) => frames.push(data.toString('latin1')))
  return frames
}

function execute(code: string, session: string, isV1: boolean): string | Buffer {
  const header = { msg_id: `m-${code}`, msg_type: 'execute_request', session, username: '', version: '5.3' }
  if (!isV1)
    return JSON.stringify({ channel: 'shell', header, parent_header: {}, metadata: {}, content: { code } })
  const parts = ['shell', ...[header, {}, {}, { code }].map((part) => JSON.stringify(part))].map((part) =>
    Buffer.from(part),
  )
  const offsets = [8 * 7]
  for (const part of parts) offsets.push((offsets.at(-1) ?? 0) + part.length)
  const table = Buffer.alloc(8 * 7)
  for (const [index, value] of [offsets.length, ...offsets].entries())
    table.writeBigUInt64LE(BigInt(value), 8 * index)
  return Buffer.concat([table, ...parts])
}
