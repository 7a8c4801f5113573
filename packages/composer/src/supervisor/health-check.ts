import type { Logger } from '@quire/kit/log'
import type { Clock } from '@quire/mcp/connection/clock'
import { plainReason } from '@quire/mcp/connection/errors'
import { isRecord } from '@quire/mcp/json'
import type { Link } from '../link/link.ts'
import type { Asker, Reply } from '../rpc.ts'
import type { HealthSettings } from '../server-definition.ts'
import { inTime } from './wait.ts'

/** By how much the link's own limit is longer, so that the reason is ours. */
const GRACE_MS = 1000

/** Whether this tool of this server may be called at all, by its own name. */
export type MayCall = (server: string, tool: string) => boolean

export interface HealthOptions {
  readonly clock: Clock
  readonly logger: Logger
  readonly mayCall: MayCall | undefined
}

/** Asks the server how it is, again and again. Resolves with a reason when it is not well, with undefined when the signal aborts. */
export async function watchHealth(
  link: Link,
  settings: HealthSettings,
  { clock, logger, mayCall }: HealthOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { tool } = settings
  let isTold = false
  for (;;) {
    await clock.sleep(settings.intervalMs, signal)
    if (signal.aborted) return undefined
    const isBarred =
      settings.method === 'tool' && tool !== undefined && mayCall?.(link.server, tool) === false
    if (isBarred && !isTold)
      logger.warn(
        { server: link.server, tool },
        'the tool of a health check is blocked: the server is pinged',
      )
    isTold ||= isBarred
    const fault = await check(link, isBarred ? { ...settings, method: 'ping' } : settings, clock, signal)
    if (signal.aborted) return undefined
    if (fault !== undefined) return fault
  }
}

async function check(
  link: Link,
  settings: HealthSettings,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { method, tool, timeoutMs } = settings
  const asking = new AbortController()
  const stop = () => asking.abort()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const isTool = method === 'tool' && tool !== undefined
    const asked = isTool
      ? callTool(link, tool, asking.signal)
      : link.ping(timeoutMs + GRACE_MS).then(() => undefined)
    const answered = await inTime(asked, timeoutMs, clock)
    return answered ? answered.value : `did not answer its health check within ${timeoutMs / 1000} s`
  } catch (error) {
    return `failed its health check: ${plainReason(error)}`
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** What was wrong with its answer. */
async function callTool(link: Link, tool: string, signal: AbortSignal): Promise<string | undefined> {
  const asker: Asker = { era: 'modern', capabilities: {}, client: {}, signal }
  const reply = await link.request('tools/call', { name: tool, arguments: {} }, asker)
  if ('error' in reply) return `failed its health check: tool "${tool}" answered "${reply.error.message}"`
  return isToolError(reply) ? `failed its health check: tool "${tool}" reported an error` : undefined
}

function isToolError({ result }: Extract<Reply, { result: unknown }>): boolean {
  const value: unknown = JSON.parse(result.toString())
  return isRecord(value) && value.isError === true
}
