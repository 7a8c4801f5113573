import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Jupyter } from '@quire/testbed/jupyter'
import { WebSocket } from 'ws'

export interface RawKernel {
  readonly id: string
  /** Until the kernel has replied and is idle. */
  execute(code: string): Promise<void>
  close(): Promise<void>
}

/** A kernel and the least that it takes to run code in it. */
export async function openRawKernel({ url, token }: Jupyter): Promise<RawKernel> {
  const headers = { authorization: `token ${token}` }
  const response = await fetch(`${url}/api/kernels`, { method: 'POST', headers })
  const { id } = (await response.json()) as { id: string }
  const session = randomUUID()
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/api/kernels/${id}/channels?session_id=${session}`,
    { headers, perMessageDeflate: false },
  )
  await once(socket, 'open')
  return {
    id,
    execute: (code) => execute(socket, session, code),
    async close() {
      socket.terminate()
      await fetch(`${url}/api/kernels/${id}`, { method: 'DELETE', headers })
    },
  }
}

interface KernelMessage {
  readonly parent_header: { readonly msg_id?: string }
  readonly header: { readonly msg_type: string }
  readonly content: { readonly execution_state?: string }
}

function execute(socket: WebSocket, session: string, code: string): Promise<void> {
  const id = randomUUID()
  const { promise, resolve } = Promise.withResolvers<void>()
  let waitingFor = 2
  const listen = (data: Buffer) => {
    const { parent_header, header, content }: KernelMessage = JSON.parse(data.toString())
    if (parent_header.msg_id !== id) return
    if (header.msg_type !== 'execute_reply' && content.execution_state !== 'idle') return
    waitingFor -= 1
    if (waitingFor > 0) return
    socket.off('message', listen)
    resolve()
  }
  socket.on('message', listen)
  const content = { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false }
  const header = {
    msg_id: id,
    msg_type: 'execute_request',
    username: '',
    session,
    version: '5.3',
    date: new Date().toISOString(),
  }
  socket.send(JSON.stringify({ channel: 'shell', header, parent_header: {}, metadata: {}, content }))
  return promise
}
