import { readEvents } from '../services/event-stream.ts'
import { CLIENT, type Reply, ToolFailed, toAnswer } from '../services/notebook-tools.ts'
import { RequestFailed, send } from '../services/request.ts'

/** Calls of tools that go on when the page is left or loaded anew, as those without a session do not. */
export interface ToolSession {
  /** The signal cancels it. */
  call<Answer>(name: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Answer>
}

const REVISION = '2025-11-25'
const UNKNOWN = 404

export function createToolSession(): ToolSession {
  let opening: Promise<string> | undefined
  let lastId = 0

  async function open(): Promise<string> {
    const response = await send('notebook', '/mcp', {
      method: 'POST',
      headers: headersOf(undefined),
      body: {
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: { protocolVersion: REVISION, capabilities: {}, clientInfo: CLIENT },
      },
    })
    await response.text()
    const session = response.headers.get('mcp-session-id') ?? ''
    await notify(session, 'notifications/initialized', {})
    return session
  }

  /** A server that was started anew knows no session of before. */
  async function withSession<Answer>(act: (session: string) => Promise<Answer>): Promise<Answer> {
    opening ??= open()
    const used = opening
    try {
      return await act(await used)
    } catch (error) {
      if (opening === used && !(error instanceof ToolFailed)) opening = undefined
      if (!(error instanceof RequestFailed && error.status === UNKNOWN)) throw error
      opening ??= open()
      return act(await opening)
    }
  }

  async function ask<Answer>(
    session: string,
    params: { readonly name: string; readonly arguments: object },
    signal?: AbortSignal,
  ): Promise<Answer> {
    lastId += 1
    const id = lastId
    const cancel = () =>
      // It is over then, or the server is gone, and with it what was to be cancelled.
      void notify(session, 'notifications/cancelled', { requestId: id }).catch(() => undefined)
    signal?.addEventListener('abort', cancel)
    try {
      const events = readEvents('notebook', '/mcp', {
        method: 'POST',
        headers: headersOf(session),
        body: { jsonrpc: '2.0', id, method: 'tools/call', params },
        ...(signal && { signal }),
      })
      for await (const { data } of events) {
        const reply = data === '' ? undefined : (JSON.parse(data) as Reply & { readonly id?: number })
        if (reply?.id === id) return toAnswer<Answer>(reply)
      }
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
    throw new Error('The connection was lost. What was begun goes on.')
  }

  return Object.freeze({
    call<Answer>(name: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal) {
      return withSession((session) => ask<Answer>(session, { name, arguments: args }, signal))
    },
  })
}

async function notify(session: string, method: string, params: unknown): Promise<void> {
  const body = { jsonrpc: '2.0', method, params }
  await send('notebook', '/mcp', { method: 'POST', headers: headersOf(session), body })
}

function headersOf(session: string | undefined): Record<string, string> {
  return {
    accept: 'application/json, text/event-stream',
    ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': REVISION }),
  }
}
