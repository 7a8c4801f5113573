import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { JupyterServer } from '../server.ts'
import { silentLogger, until } from './kernel-bench.fixture.ts'
import { type KernelSocket, type KernelSocketOptions, openKernelSocket } from './kernel-socket.ts'
import { createMessage, type KernelMessage } from './message.ts'
import { decodeJson, encodeJson } from './wire-json.ts'
import { decodeV1, encodeV1, V1_PROTOCOL } from './wire-v1.ts'

const message = createMessage({
  channel: 'iopub',
  type: 'status',
  session: 'k',
  content: { execution_state: 'idle' },
})
const GARBAGE = [
  '',
  'nonsense',
  '{',
  '[]',
  '{"channel":"iopub"}',
  Buffer.alloc(0),
  Buffer.alloc(9),
  Buffer.alloc(64, 0xff),
]

let server: WebSocketServer | undefined
afterEach(() => {
  for (const client of server?.clients ?? []) client.terminate()
  server?.close()
})

test.each([
  ['v1', V1_PROTOCOL],
  ['json', undefined],
] as const)('frames that are no messages are passed over (%s)', async (protocol, expected) => {
  const { socket, peer, received } = await open({ protocol })
  for (const frame of GARBAGE) peer.send(frame)
  peer.send(expected ? encodeV1(message) : encodeJson(message))
  await until(() => received.length > 0, 'the message came')
  expect(received).toEqual([message])
  const answer = once(peer, 'message')
  socket.send(message)
  const [data] = await answer
  expect(expected ? decodeV1(data) : decodeJson(data, false)).toEqual({ message })
})

test('a server that does not choose the binary protocol is spoken to in JSON', async () => {
  const { peer, received } = await open({ protocol: 'v1' }, { knows: [] })
  peer.send(encodeJson(message))
  await until(() => received.length > 0, 'the message came')
  expect(received).toEqual([message])
})

test('a peer that answers no ping is let go of', async () => {
  const { peer, socket, closed } = await open({ protocol: 'json', keepAliveMs: 50 }, { pongs: false })
  await closed
  expect(socket.isOpen()).toBe(false)
  expect(await socket.isAlive()).toBe(false)
  peer.terminate()
})

test('a peer that answers pings is kept, and closing is told once', async () => {
  let pings = 0
  const { peer, socket, closed } = await open({ protocol: 'json', keepAliveMs: 20 })
  peer.on('ping', () => {
    pings += 1
  })
  await until(() => pings >= 3, 'it was asked three times')
  expect(await socket.isAlive()).toBe(true)
  await Promise.all([socket.close(), socket.close(), closed])
  await socket.close()
  expect(socket.isOpen()).toBe(false)
})

async function open(
  options: Partial<KernelSocketOptions>,
  { knows = [V1_PROTOCOL], pongs = true }: { knows?: string[]; pongs?: boolean } = {},
): Promise<{ socket: KernelSocket; peer: WebSocket; received: KernelMessage[]; closed: Promise<unknown> }> {
  server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    autoPong: pongs,
    handleProtocols: (offered) => knows.find((name) => offered.has(name)) ?? false,
  })
  await once(server, 'listening')
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const peers = once(server, 'connection')
  const received: KernelMessage[] = []
  const ending = Promise.withResolvers<void>()
  const socket = await openKernelSocket({
    server: {
      openSocket: (_path, { protocols }) => dial(url, knows.length === 0 ? [] : protocols),
    } as JupyterServer,
    kernelId: 'k',
    sessionId: 's',
    protocol: 'v1',
    timeoutMs: 1_000,
    keepAliveMs: 60_000,
    signal: new AbortController().signal,
    logger: silentLogger,
    now: () => performance.now(),
    onMessage: (message) => void received.push(message),
    onClose: () => ending.resolve(),
    ...options,
  })
  const [peer] = await peers
  return { socket, peer, received, closed: ending.promise }
}

async function dial(url: string, protocols: readonly string[] | undefined): Promise<WebSocket> {
  const socket = new WebSocket(url, [...(protocols ?? [])])
  await once(socket, 'open')
  return socket
}
