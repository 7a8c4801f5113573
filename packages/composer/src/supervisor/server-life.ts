import type { Logger } from '@quire/kit/log'
import { type Catalog, type CatalogKind, EMPTY_CATALOG } from '@quire/mcp/connection/catalog'
import type { Clock } from '@quire/mcp/connection/clock'
import type { Era } from '@quire/mcp/connection/era'
import { messageOf } from '@quire/mcp/connection/errors'
import type { Gate } from '../calls/gate.ts'
import type { Link, LinkOptions, OpenLink } from '../link/link.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { MemoryOf } from './group-memory.ts'
import type { LineFiles } from './line-files.ts'
import { type LinkActivity, trackActivity } from './link-activity.ts'
import { closeInTime, openInTime } from './open-in-time.ts'
import type { PidRecord } from './pid-record.ts'
import { createRestartPolicy, type Ending, type FailureFacts, type Verdict } from './restart-policy.ts'
import { createServerOutput } from './server-output.ts'
import { nextState, type ServerChange, type ServerState } from './server-state.ts'
import { toFailureFacts } from './start-failure.ts'
import type { ServerFailure, ServerStatus, SupervisorEvent } from './supervisor.ts'
import { watchLink } from './watch-link.ts'

/** What all servers of a supervisor share. */
export interface LifeSupport extends Pick<LinkOptions, 'environment' | 'clientInfo'> {
  readonly openLink: OpenLink
  readonly logger: Logger
  readonly clock: Clock
  readonly random: () => number
  readonly memoryOf: MemoryOf
  readonly record: PidRecord | undefined
  readonly files: LineFiles
  /** Bounds how many servers start at a time. */
  readonly gate: Gate
  /** Never throws. */
  readonly tell: (event: SupervisorEvent) => void
}

export interface ServerLifeOptions extends LifeSupport {
  /** As it is now: it may change between two starts. */
  readonly definition: () => ServerDefinition
  /** Before the state `running` is told, and whenever it changes from then on. */
  readonly onCatalog: (catalog: Catalog) => void
}

export type StartOutcome = 'ready' | 'stopped' | ServerFailure

/** A server from its first start to its last end, one generation after the other. Whoever begins and ends it takes turns. */
export interface ServerLife {
  readonly state: ServerState
  status(): ServerStatus
  /** Of a server that runs, or whose session is being opened anew. */
  catalog(): Catalog
  /** Of a server that runs. */
  link(): Link | undefined
  /** The same, for somebody who is about to use it. */
  useLink(): Link | undefined
  /** It fell asleep for want of use, or was put to sleep; over when it runs, fails or is ended. */
  readonly isDormant: boolean
  /** It stays crashed because of a limit. */
  readonly hasGivenUp: boolean
  /** How the present start turns out. */
  starting(): Promise<StartOutcome>
  /** Only where nothing is left of an earlier generation. Clears the limit. */
  begin(): void
  putToSleep(): void
  /** Ends whatever there is. */
  end(): Promise<void>
  /** A server that is down, or on its way there, plans no further start; done when nothing is left of it. */
  rest(): Promise<void>
  countRestart(): void
  clearLimit(): void
}

interface Running {
  readonly link: Link
  readonly activity: LinkActivity | undefined
  readonly since: number
}

export function createServerLife(options: ServerLifeOptions): ServerLife {
  const { clock, logger, tell, definition } = options
  const server = definition().name
  const policy = createRestartPolicy({ ...options, settings: () => definition().restart })
  let state: ServerState = 'stopped'
  let running: Running | undefined
  let attempt = Promise.withResolvers<StartOutcome>()
  let leave = new AbortController()
  let life: Promise<void> = Promise.resolve()
  let restartCount = 0
  let lastError: ServerFailure | null = null
  let retryAt: number | undefined
  let isDormant = false
  let hasGivenUp = false
  let knownEra: Era | undefined
  /** While a session is opened anew, what the server offers has not changed. */
  let offered: Catalog | undefined

  function begin(): void {
    startWith('start')
    policy.clear()
    leave = new AbortController()
    const { signal } = leave
    life = live(signal).catch((error) => breakDown(error, signal))
  }

  function startWith(change: 'start' | 'retry' | 'reopen'): void {
    attempt = Promise.withResolvers()
    retryAt = undefined
    hasGivenUp = false
    move(change)
  }

  async function live(leaving: AbortSignal): Promise<void> {
    for (;;) {
      const verdict = await liveOnce(leaving)
      if (!verdict || leaving.aborted) return
      if (verdict.next === 'sleep') return move('gone')
      if (verdict.next === 'rest' || verdict.next === 'give-up') return
      if (verdict.next === 'reopen') continue
      await clock.sleep(Math.max(0, (retryAt ?? 0) - clock.now()), leaving)
      if (leaving.aborted) return
      restartCount += 1
      startWith('retry')
    }
  }

  /** One generation, from its start until nothing of it is left. Undefined when it was called off. */
  async function liveOnce(leaving: AbortSignal): Promise<Verdict | undefined> {
    const { openLink, gate, environment, clientInfo, memoryOf, record } = options
    const current = definition()
    const { lastLines, ...events } = createServerOutput(current, { ...options, onCatalog: takeCatalog })
    let link: Link
    try {
      const linkOptions = { ...events, logger, environment, clientInfo, knownEra }
      const onTurn = policy.started
      link = await openInTime(current, { openLink, link: linkOptions, gate, onTurn, clock, leaving })
    } catch (error) {
      // A verdict on its era that led nowhere is not believed twice.
      knownEra = undefined
      if (leaving.aborted) return undefined
      return settle({ type: 'failed', facts: toFailureFacts(server, error, lastLines()) })
    }
    const { pid } = link
    if (pid !== null) record?.add(server, pid)
    try {
      if (leaving.aborted) return undefined
      const activity = run(link, current)
      const watch = { definition: current, activity, clock, memoryOf, logger, lastLines, leaving }
      return await watchLink(link, { ...watch, onEnding: settle })
    } finally {
      await closeInTime(link, logger, clock)
      if (pid !== null) record?.remove(pid)
    }
  }

  function run(link: Link, { lazy, idleStopMs, transport }: ServerDefinition): LinkActivity | undefined {
    const activity = lazy && idleStopMs > 0 ? trackActivity(link, clock) : undefined
    running = { link: activity?.link ?? link, activity, since: clock.now() }
    isDormant = false
    offered = undefined
    const era = link.eraFor('modern')
    if (transport === 'stdio' && typeof era === 'string') knownEra = era
    options.onCatalog(link.catalog())
    move('ready')
    attempt.resolve('ready')
    return activity
  }

  function takeCatalog(kind: CatalogKind): void {
    if (!running) return
    options.onCatalog(running.link.catalog())
    tell({ type: 'catalog', server, kind })
  }

  function settle(ending: Ending): Verdict {
    const ranMs = running && clock.now() - running.since
    const catalog = running?.link.catalog()
    running = undefined
    const verdict = policy.judge(ending, ranMs)
    if (verdict.next === 'sleep') {
      isDormant = true
      move('stop')
    } else if (verdict.next === 'rest') {
      isDormant = definition().lazy
      move('ended')
    } else if (verdict.next === 'reopen') {
      logger.info({ server }, 'a server has forgotten our session; a new one is opened')
      offered = catalog
      startWith('reopen')
    } else if (ending.type !== 'idle') {
      fail(ending.facts, verdict)
    }
    return verdict
  }

  function fail(facts: FailureFacts, verdict: Extract<Verdict, { next: 'retry' | 'give-up' }>): void {
    const limit = verdict.next === 'give-up' ? verdict.limit : undefined
    retryAt = verdict.next === 'retry' ? clock.now() + verdict.delayMs : undefined
    hasGivenUp = limit !== undefined
    isDormant = false
    offered = undefined
    const reason = limit === undefined ? facts.reason : `${facts.reason}; ${limit} and is left alone now`
    lastError = Object.freeze({ ...facts, reason, at: new Date().toISOString() })
    const { exitCode, signal } = facts
    logger.warn({ server, reason, exitCode, signal, retryInMs: retryInMs() }, 'a server has failed')
    move('failed')
    attempt.resolve(lastError)
  }

  /** What cannot happen must at least be seen, and nobody may wait for it. */
  function breakDown(error: unknown, leaving: AbortSignal): void {
    logger.error({ server, err: error }, 'the supervision of a server broke down')
    running = undefined
    if (leaving.aborted || !nextState(state, 'failed')) return
    const facts = { reason: messageOf(error), exitCode: null, signal: null, stderr: [] }
    fail(facts, { next: 'give-up', limit: undefined })
  }

  function move(change: ServerChange): void {
    const next = nextState(state, change)
    if (!next) throw new Error(`a server that is ${state} cannot take "${change}"`)
    state = next
    tell({ type: 'state', server, state, ...(state === 'crashed' && lastError && { failure: lastError }) })
  }

  async function end(): Promise<void> {
    if (state === 'stopping' || state === 'stopped') {
      // It may have come there by itself, with something of it still to go.
      await life
      isDormant = false
      return
    }
    isDormant = false
    offered = undefined
    running = undefined
    retryAt = undefined
    hasGivenUp = false
    move('stop')
    attempt.resolve('stopped')
    leave.abort()
    await life
    move('gone')
  }

  async function rest(): Promise<void> {
    if (state === 'starting' || state === 'running') return
    if (state === 'crashed') leave.abort()
    await life
  }

  function retryInMs(): number | null {
    return retryAt === undefined ? null : Math.max(0, retryAt - clock.now())
  }

  return Object.freeze({
    get state() {
      return state
    },
    get isDormant() {
      return isDormant
    },
    get hasGivenUp() {
      return hasGivenUp
    },
    status: () => ({
      state,
      pid: running?.link.pid ?? null,
      uptimeSeconds: running ? (clock.now() - running.since) / 1000 : null,
      restartCount,
      lastError,
      retryInMs: retryInMs(),
    }),
    catalog: () => running?.link.catalog() ?? offered ?? EMPTY_CATALOG,
    link: () => running?.link,
    useLink() {
      running?.activity?.touch()
      return running?.link
    },
    starting: () => attempt.promise,
    begin,
    putToSleep() {
      isDormant = true
    },
    end,
    rest,
    countRestart() {
      restartCount += 1
    },
    clearLimit: policy.clear,
  } satisfies ServerLife)
}
