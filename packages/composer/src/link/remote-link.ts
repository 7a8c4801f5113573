import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionError } from '@quire/mcp/connection/errors'
import { refusalOf } from '@quire/mcp/connection/http-refusal'
import type { RemoteServer } from '@quire/mcp/connection/target'
import type { RemoteDefinition, RemoteProgram } from '../server-definition.ts'
import { createHttpLanes } from './http-lanes.ts'
import { toSafeHeaders } from './http-peer.ts'
import { openHttpRoute } from './http-route.ts'
import type { Link, LinkOptions } from './link.ts'
import { toLinkEnd } from './link-end.ts'
import { LinkError } from './link-error.ts'
import { startFault } from './link-session.ts'
import { openPipeLink } from './pipe-link.ts'
import { type RunningProgram, startRemoteProgram } from './remote-program.ts'
import { createSessionLink } from './session-link.ts'

const LEGACY_READY_MS = 10_000
const PAUSE_MS = 100
/** The program answers, and asks for other credentials: more tries change nothing. */
const FINAL: ReadonlySet<number> = new Set([401, 403])

/** A link to a URL, and to the program that serves it, if we run that too. */
export function openRemoteLink(definition: RemoteDefinition, options: LinkOptions): Promise<Link> {
  const { program } = definition
  return program ? openWithProgram(definition, program, options) : openRemote(definition, options)
}

function openRemote(
  definition: RemoteDefinition,
  options: LinkOptions,
  program?: RunningProgram,
): Promise<Link> {
  const { name, url } = definition
  const remote = { url, headers: toSafeHeaders(definition.headers) }
  if (definition.transport === 'http') return openHttpLink(name, remote, options, program)
  return openPipeLink(name, { type: 'sse', ...remote }, options, { program })
}

async function openHttpLink(
  name: string,
  remote: RemoteServer,
  options: LinkOptions,
  program: RunningProgram | undefined,
): Promise<Link> {
  const primary = await openHttpRoute(name, remote, options, options.knownEra)
  const lanes = createHttpLanes(name, primary, (signal) => {
    const readyMs = Math.min(LEGACY_READY_MS, options.readyMs)
    // The first session tells of changes already.
    const quiet = { onCatalog: () => undefined, onResource: () => undefined }
    return openHttpRoute(name, remote, { ...options, ...quiet, signal, readyMs }, 'legacy')
  })
  return createSessionLink({
    server: name,
    session: primary.session,
    lanes,
    toEnd: (error) => toLinkEnd(error),
    program,
  })
}

async function openWithProgram(
  definition: RemoteDefinition,
  program: RemoteProgram,
  options: LinkOptions,
): Promise<Link> {
  const { name } = definition
  const deadline = performance.now() + options.readyMs
  let running: RunningProgram
  try {
    running = await startRemoteProgram(program, options)
  } catch (error) {
    throw startFault(name, error)
  }
  const gone = new AbortController()
  void running.ended.then(() => gone.abort())
  const signal = AbortSignal.any([options.signal, gone.signal])
  try {
    return await tryUntilReady()
  } catch (error) {
    const endedByItself = gone.signal.aborted && !options.signal.aborted
    await running.stop()
    throw endedByItself ? await programFault(name, running) : error
  }

  async function tryUntilReady(): Promise<Link> {
    for (let last: unknown; ; ) {
      const readyMs = Math.max(1, deadline - performance.now())
      try {
        return await openRemote(definition, { ...options, signal, readyMs }, running)
      } catch (error) {
        const isFinal = FINAL.has(refusalOf(error)?.status ?? 0) || signal.aborted
        // The last try may have had no time left to say anything of its own.
        last = last && error instanceof Error && isLate(error) ? last : error
        if (isFinal || performance.now() + PAUSE_MS >= deadline) throw last
        await sleep(PAUSE_MS)
      }
    }
  }
}

function isLate({ cause }: Error): boolean {
  return cause instanceof ConnectionError && cause.fault === 'timeout'
}

async function programFault(server: string, { ended }: RunningProgram): Promise<LinkError> {
  const end = await ended
  const last = end.stderr.findLast((line) => line.trim() !== '')
  const words = last === undefined ? '' : ` Its last line: ${last.slice(0, 300)}`
  return new LinkError('start', `MCP server "${server}" ${end.reason}.${words}`, { end })
}
