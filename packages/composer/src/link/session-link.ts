import { setTimeout as sleep } from 'node:timers/promises'
import { ProtocolError } from '@modelcontextprotocol/client'
import type { Era } from '@quire/mcp/connection/era'
import { ConnectionError, plainReason } from '@quire/mcp/connection/errors'
import type { Session } from '@quire/mcp/connection/session'
import { type Asker, type Params, type Reply, RpcFault } from '../rpc.ts'
import type { Link, LinkEnd, LinkInfo } from './link.ts'
import { LinkError } from './link-error.ts'
import type { RunningProgram } from './remote-program.ts'

/** How requests of clients travel beside the session. */
export interface Lanes {
  eraFor(era: Era): Era | Promise<Era>
  request(method: string, params: Params, asker: Asker): Promise<Reply>
  notify(method: string, params: Params): Promise<void>
  /** Nothing comes any more: whoever waits hears of it. */
  end(end: LinkEnd): void
  /** Done when nothing of them is left. */
  close(): Promise<void>
}

export interface SessionLinkParts {
  readonly server: string
  readonly session: Session
  readonly lanes: Lanes
  readonly toEnd: (error: ConnectionError) => LinkEnd
  /** Lives and ends with the link. */
  readonly program?: RunningProgram | undefined
}

const METHOD_NOT_FOUND = -32601
const PROGRAM_END_MS = 250

/** A link made of the SDK's session and the lanes of a relay. */
export function createSessionLink({ server, session, lanes, toEnd, program }: SessionLinkParts): Link {
  const { client } = session
  const ended = session.ended.then(async (error) => {
    const end = await explain(error)
    lanes.end(end)
    void close()
    return end
  })
  void program?.ended.then(({ reason, exitCode, signal, stderr }) => {
    const text = `MCP server "${server}" ${reason}.`
    session.fail(new ConnectionError('lost', text, { exitCode, signal, stderr }))
  })
  let closing: Promise<void> | undefined

  /** A program's end is felt on its connections before it is seen. */
  async function explain(error: ConnectionError): Promise<LinkEnd> {
    const end = toEnd(error)
    if (!program || end.isClosed) return end
    const late = sleep(PROGRAM_END_MS, undefined, { ref: false })
    return (await Promise.race([program.ended, late])) ?? { ...end, stderr: program.lines() }
  }

  function close(): Promise<void> {
    closing ??= finish()
    return closing
  }

  async function finish(): Promise<void> {
    await Promise.all([session.close(), lanes.close()])
    await program?.stop()
  }

  return Object.freeze({
    server,
    pid: program?.pid ?? session.pid,
    eraFor: lanes.eraFor,
    info: () => infoOf(session),
    catalog: session.catalog,
    request: lanes.request,
    notify: (method: string, params: Params = {}) => lanes.notify(method, params),
    async subscribe(uri: string, signal: AbortSignal) {
      try {
        await session.subscribe(uri, signal)
      } catch (error) {
        throw toSubscribeFault(server, error)
      }
    },
    async ping(timeoutMs: number) {
      try {
        const request = { timeout: timeoutMs }
        await (session.era === 'modern' ? client.discover(request) : client.ping(request))
      } catch (error) {
        // Any answer is a sign of life.
        if (error instanceof ProtocolError) return
        const text = `MCP server "${server}" did not answer a ping within ${timeoutMs / 1000} seconds: ${plainReason(error)}.`
        throw new LinkError('lost', text, { cause: error })
      }
    },
    ended,
    close,
  })
}

function infoOf({ client }: Session): LinkInfo {
  const { name, version } = client.getServerVersion() ?? { name: 'unknown', version: '0' }
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    serverInfo: { name, version },
    capabilities: { ...client.getServerCapabilities() },
    instructions: client.getInstructions(),
  }
}

function toSubscribeFault(server: string, error: unknown): Error {
  if (error instanceof ProtocolError) return new RpcFault(error.code, error.message, error.data)
  if (error instanceof ConnectionError && error.fault === 'refused') {
    return new RpcFault(METHOD_NOT_FOUND, error.message)
  }
  const text = `MCP server "${server}" did not take the subscription: ${plainReason(error)}.`
  return new LinkError('lost', text, { cause: error })
}
