import { type Catalog, type CatalogKind, EMPTY_CATALOG } from '@quire/mcp/connection/catalog'
import type { Era } from '@quire/mcp/connection/era'
import { messageOf } from '@quire/mcp/connection/errors'
import type { Link } from '../link/link.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { ServerLife, ServerLifeOptions, StartOutcome } from './life.ts'
import { type LinkActivity, trackActivity } from './link-activity.ts'
import { closeInTime, openInTime } from './open-in-time.ts'
import { createOutage } from './outage.ts'
import { createRestartPolicy, type Ending, type FailureFacts, type Verdict } from './restart-policy.ts'
import { createServerHistory, type StartedBy, type StoppedBy } from './server-history.ts'
import { createServerOutput } from './server-output.ts'
import { nextState, type ServerChange, type ServerState } from './server-state.ts'
import { toFailureFacts } from './start-failure.ts'
import type { StartFacts } from './supervisor.ts'
import { watchLink } from './watch-link.ts'

interface Running {
  readonly link: Link
  readonly activity: LinkActivity | undefined
  readonly since: number
}

export function createServerLife(options: ServerLifeOptions): ServerLife {
  const { clock, logger, tell, definition } = options
  const server = definition().name
  const policy = createRestartPolicy(options)
  const outage = createOutage(clock)
  const history = createServerHistory(clock)
  let state: ServerState = 'stopped'
  let running: Running | undefined
  let attempt = Promise.withResolvers<StartOutcome>()
  let leave = new AbortController()
  let life: Promise<void> = Promise.resolve()
  let restartCount = 0
  let isDormant = false
  let knownEra: Era | undefined
  /** While a session is opened anew, what the server offers has not changed. */
  let offered: Catalog | undefined

  function begin(by: StartedBy): void {
    startWith('start', by)
    policy.clear()
    launch()
  }

  function wake(): void {
    const hasFailed = state === 'crashed'
    startWith('start', 'call')
    if (hasFailed) restartCount += 1
    else policy.clear()
    launch()
  }

  function launch(): void {
    leave = new AbortController()
    const { signal } = leave
    life = live(signal).catch((error) => breakDown(error, signal))
  }

  function startWith(change: 'start' | 'retry' | 'reopen', by: StartedBy): void {
    attempt = Promise.withResolvers()
    outage.starts(by === 'call')
    history.started(by)
    move(change)
  }

  async function live(leaving: AbortSignal): Promise<void> {
    for (;;) {
      const verdict = await liveOnce(leaving)
      if (!verdict || leaving.aborted) return
      if (verdict.next === 'sleep') return move('gone')
      if (verdict.next === 'rest' || verdict.next === 'give-up') return
      if (verdict.next === 'reopen') continue
      await clock.sleep(outage.retryInMs() ?? 0, leaving)
      if (leaving.aborted) return
      restartCount += 1
      startWith('retry', 'retry')
    }
  }

  /** One generation, from its start until nothing of it is left. Undefined when it was called off. */
  async function liveOnce(leaving: AbortSignal): Promise<Verdict | undefined> {
    const { openLink, gate, environment, clientInfo, memoryOf, record, mayCall } = options
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
      const watch = { definition: current, activity, clock, memoryOf, logger, mayCall, lastLines, leaving }
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
    const start = outage.isOver()
    history.ready()
    logger.info(
      { server, ...start },
      start.failures === 0 ? 'a server is running' : 'a server is running again',
    )
    move('ready', start)
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
    if (ending.type === 'idle') history.ended({ outcome: 'idle' })
    else if (ending.type === 'exited') history.ended({ ...ending.facts, outcome: 'exited' })
    else if (verdict.next === 'reopen') history.ended({ ...ending.facts, outcome: 'failed' })
    if (verdict.next === 'sleep') {
      isDormant = true
      move('stop')
    } else if (verdict.next === 'rest') {
      isDormant = definition().lazy
      move('ended')
    } else if (verdict.next === 'reopen') {
      logger.info({ server }, 'a server has forgotten our session; a new one is opened')
      offered = catalog
      startWith('reopen', 'retry')
    } else if (ending.type !== 'idle') {
      fail(ending.facts, verdict)
    }
    return verdict
  }

  function fail(facts: FailureFacts, verdict: Extract<Verdict, { next: 'retry' | 'give-up' }>): void {
    isDormant = false
    offered = undefined
    const failure = outage.failed(facts, verdict)
    const { reason, exitCode, signal } = failure
    history.ended({ reason, exitCode, signal, outcome: 'failed' })
    const what = verdict.next === 'retry' ? 'a server has failed' : 'a server has failed and is left alone'
    logger.warn({ server, reason, exitCode, signal, retryInMs: outage.retryInMs() }, what)
    move('failed')
    attempt.resolve(failure)
  }

  /** What cannot happen must at least be seen, and nobody may wait for it. */
  function breakDown(error: unknown, leaving: AbortSignal): void {
    logger.error({ server, err: error }, 'the supervision of a server broke down')
    running = undefined
    if (leaving.aborted || !nextState(state, 'failed')) return
    const facts = { reason: messageOf(error), exitCode: null, signal: null, stderr: [] }
    fail(facts, { next: 'give-up' })
  }

  function move(change: ServerChange, start?: StartFacts): void {
    const next = nextState(state, change)
    if (!next) throw new Error(`a server that is ${state} cannot take "${change}"`)
    state = next
    if (state === 'stopped') logger.info({ server }, 'a server is stopped')
    const { lastError } = outage
    const retryInMs = outage.retryInMs()
    tell({
      type: 'state',
      server,
      state,
      ...(start && { start }),
      ...(state === 'crashed' && lastError && { failure: lastError }),
      ...(state === 'crashed' && retryInMs !== null && { retryInMs }),
    })
  }

  async function end(by: StoppedBy): Promise<void> {
    if (state === 'stopping' || state === 'stopped') {
      // It may have come there by itself, with something of it still to go.
      await life
      isDormant = false
      return
    }
    isDormant = false
    offered = undefined
    running = undefined
    outage.forget()
    history.ended({ outcome: 'stopped', stoppedBy: by })
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

  return Object.freeze({
    get state() {
      return state
    },
    get isDormant() {
      return isDormant
    },
    get hasGivenUp() {
      return outage.hasGivenUp
    },
    status: () => ({
      state,
      pid: running?.link.pid ?? null,
      uptimeSeconds: running ? (clock.now() - running.since) / 1000 : null,
      restartCount,
      lastError: outage.lastError,
      retryInMs: outage.retryInMs(),
    }),
    history: history.runs,
    catalog: () => running?.link.catalog() ?? offered ?? EMPTY_CATALOG,
    link: () => running?.link,
    useLink() {
      running?.activity?.touch()
      return running?.link
    },
    starting: () => attempt.promise,
    begin,
    wake,
    wakeableInMs: () => (definition().lazy ? outage.wakeableInMs() : undefined),
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
