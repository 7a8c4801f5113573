import type { Logger } from '@quire/kit/log'
import type { Clock } from '@quire/mcp/connection/clock'
import type { Link, LinkEnd } from '../link/link.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { MemoryOf } from './group-memory.ts'
import { type MayCall, watchHealth } from './health-check.ts'
import type { LinkActivity } from './link-activity.ts'
import { watchMemory } from './memory-limit.ts'
import type { Ending } from './restart-policy.ts'

export interface WatchOptions<Verdict> {
  readonly definition: ServerDefinition
  readonly activity: LinkActivity | undefined
  readonly clock: Clock
  readonly memoryOf: MemoryOf
  readonly logger: Logger
  readonly mayCall: MayCall | undefined
  /** What it wrote last, for ends that do not come from itself. */
  readonly lastLines: () => readonly string[]
  /** Aborted when nobody wants the server any more: there is no ending to tell then. */
  readonly leaving: AbortSignal
  /** In the same turn in which it is known, so that nobody is given a link that has ended. */
  readonly onEnding: (ending: Ending) => Verdict
}

/** Resolves when the link is of no more use: it ended, it is not well, it is too big, nobody needs it. */
export function watchLink<Verdict>(link: Link, options: WatchOptions<Verdict>): Promise<Verdict | undefined> {
  const { definition, activity, clock, memoryOf, leaving } = options
  const { promise: watched, resolve } = Promise.withResolvers<Verdict | undefined>()
  const over = new AbortController()
  const { signal } = over

  function finish(ending?: Ending): void {
    if (signal.aborted) return
    leaving.removeEventListener('abort', leave)
    over.abort()
    resolve(ending && options.onEnding(ending))
  }

  function leave(): void {
    finish()
  }

  function fail(reason: string | undefined): void {
    if (reason === undefined) return
    finish({ type: 'failed', facts: { reason, exitCode: null, signal: null, stderr: options.lastLines() } })
  }

  function follow<Value>(watch: Promise<Value>, then: (value: Value) => void): void {
    watch.then(then).catch((error) => {
      options.logger.error({ server: link.server, err: error }, 'a server is no longer watched')
    })
  }

  leaving.addEventListener('abort', leave, { once: true })
  follow(link.ended, (end) => finish(toEnding(end)))
  if (definition.health) follow(watchHealth(link, definition.health, options, signal), fail)
  if (definition.transport === 'stdio' && definition.maxMemoryBytes !== undefined && link.pid !== null) {
    follow(watchMemory(link.pid, definition.maxMemoryBytes, memoryOf, clock, signal), fail)
  }
  if (activity) {
    const idle = () => finish({ type: 'idle' })
    follow(activity.watchIdle(definition.idleStopMs, signal, idle), () => undefined)
  }
  return watched
}

function toEnding({ isForgotten, reason, exitCode, signal, stderr }: LinkEnd): Ending {
  const facts = { reason, exitCode, signal, stderr }
  if (isForgotten) return { type: 'forgotten', facts }
  return { type: exitCode === 0 ? 'exited' : 'failed', facts }
}
