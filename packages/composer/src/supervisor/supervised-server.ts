import { CATALOG_KINDS, type Catalog, EMPTY_CATALOG } from '@quire/mcp/connection/catalog'
import { ComposerError } from '../composer-error.ts'
import type { Link } from '../link/link.ts'
import type { ServerDefinition } from '../server-definition.ts'
import { type CatalogMemory, hashDefinition } from './catalog-memory.ts'
import type { LifeSupport, StartOutcome } from './life.ts'
import type { StartedBy, StoppedBy } from './server-history.ts'
import { createServerLife } from './server-life.ts'
import type { SupervisedServer } from './supervisor.ts'
import { abortable, createTurns } from './wait.ts'

export interface SupervisedServerOptions extends LifeSupport {
  readonly remembered: CatalogMemory | undefined
  /** Done when an earlier server of this name has left nothing behind. */
  readonly after: Promise<void> | undefined
}

/** A server, and what only its supervisor may do with it. */
export interface ServerKeeper {
  readonly server: SupervisedServer
  /** As its definition says: at once, later or never. */
  launch(): void
  redefine(next: ServerDefinition): void
  /** The configuration was read anew and says the same about it. */
  renew(): void
  /** Ends it for good. */
  retire(): Promise<void>
}

export function createSupervisedServer(
  initial: ServerDefinition,
  options: SupervisedServerOptions,
): ServerKeeper {
  const { logger, remembered, tell } = options
  const { name } = initial
  let definition = initial
  let catalog: Catalog | undefined
  let isRetired = false
  /** Counted, so that a request knows what came after it: it is met by what was done meanwhile, and not begun when a later one undoes it. */
  let begins = 0
  let ends = 0
  let stopsAsked = 0
  const life = createServerLife({ ...options, definition: () => definition, onCatalog: remember })
  const take = createTurns()
  if (options.after) inBackground(() => options.after)

  function inBackground(task: () => void | Promise<void> | undefined): void {
    take(task).catch((error) =>
      logger.error({ server: name, err: error }, 'a server could not be looked after'),
    )
  }

  function remember(fresh: Catalog): void {
    if (!definition.lazy) return
    catalog = fresh
    try {
      remembered?.save(name, hashDefinition(definition), fresh)
    } catch (error) {
      logger.warn({ server: name, err: error }, 'the tools of a lazy server could not be remembered')
    }
  }

  function launchNow(): void {
    if (isRetired || !definition.autoStart) return
    catalog = definition.lazy ? remembered?.load(name, hashDefinition(definition)) : undefined
    if (catalog) putToSleep(catalog)
    else begin('config')
  }

  function begin(by: StartedBy): void {
    begins += 1
    life.begin(by)
  }

  async function end(by: StoppedBy): Promise<void> {
    await life.end(by)
    ends += 1
  }

  function putToSleep(known: Catalog): void {
    life.putToSleep()
    for (const kind of CATALOG_KINDS) {
      if (known[kind].length > 0) tell({ type: 'catalog', server: name, kind })
    }
  }

  /** Once it is its turn and the way is clear. A start that is under way, or was begun since, is joined. */
  async function begun(clear: () => void | Promise<void>): Promise<void> {
    const asked = { begins, stopsAsked }
    const { starting } = await take(async (): Promise<{ starting: Promise<StartOutcome> }> => {
      if (isRetired) throw new ComposerError('SERVER_NOT_FOUND', `Server "${name}" is no longer configured.`)
      const isUp = life.state === 'starting' || life.state === 'running'
      if (isUp && begins > asked.begins) return { starting: life.starting() }
      if (stopsAsked > asked.stopsAsked) {
        ends += 1
        return { starting: Promise.resolve('stopped') }
      }
      const clearing = clear()
      if (clearing) {
        await clearing
        begin('request')
      }
      return { starting: life.starting() }
    })
    refuseFailure(name, await starting)
  }

  function start(): Promise<void> {
    return begun(() => {
      if (life.state === 'starting') return undefined
      if (life.state === 'running') {
        throw new ComposerError('SERVER_ALREADY_RUNNING', `Server "${name}" is already running.`)
      }
      return life.rest()
    })
  }

  function restart(): Promise<void> {
    return begun(async () => {
      await end('request')
      life.countRestart()
    })
  }

  function stop(): Promise<void> {
    const endsBefore = ends
    stopsAsked += 1
    return take(async () => {
      if (life.state !== 'stopped') await end('request')
      else if (ends === endsBefore)
        throw new ComposerError('SERVER_NOT_RUNNING', `Server "${name}" is already stopped.`)
    })
  }

  async function use(signal: AbortSignal): Promise<Link> {
    for (;;) {
      if (signal.aborted) throw cancelled(signal)
      const link = life.useLink()
      if (link) return link
      if (life.state === 'starting') await unlessAborted(life.starting(), signal)
      else if (canWake()) await unlessAborted(take(wake), signal)
      else throw notUsable()
    }
  }

  function canWake(): boolean {
    return life.isDormant || life.wakeableInMs() === 0
  }

  async function wake(): Promise<void> {
    if (!canWake()) return
    await life.rest()
    const isDown = life.state === 'stopped' || life.state === 'crashed'
    if (isDown && canWake() && !isRetired) life.wake()
  }

  function notUsable(): ComposerError {
    const { state, lastError, retryInMs } = life.status()
    if (state !== 'crashed') {
      return new ComposerError('SERVER_NOT_RUNNING', `Server "${name}" is not running. Start it first.`)
    }
    const waitMs = retryInMs ?? life.wakeableInMs()
    const seconds = waitMs === undefined ? undefined : Math.max(1, Math.ceil(waitMs / 1000))
    const again =
      retryInMs !== null
        ? 'It is started again soon.'
        : seconds === undefined
          ? 'It stays down until it is started again.'
          : `A call in ${seconds} s tries it again.`
    const text = `Server "${name}" has crashed: it ${lastError?.reason ?? 'ended'}. ${again}`
    const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) }
    return new ComposerError('SERVER_CRASHED', text, { headers })
  }

  const server: SupervisedServer = Object.freeze({
    name,
    get definition() {
      return definition
    },
    status: life.status,
    history: life.history,
    catalog: () => (life.isDormant ? (catalog ?? EMPTY_CATALOG) : life.catalog()),
    link: life.link,
    use,
    start,
    stop,
    restart,
  })

  return Object.freeze({
    server,
    launch: () => inBackground(launchNow),
    redefine(next: ServerDefinition): void {
      definition = next
      inBackground(async () => {
        const wasUp = life.state !== 'stopped'
        await end('config')
        if (wasUp) life.countRestart()
        // What somebody started by hand goes on, autostart or not.
        if (wasUp && !next.autoStart && !isRetired) begin('config')
        else launchNow()
      })
    },
    renew(): void {
      inBackground(async () => {
        life.clearLimit()
        if (!life.hasGivenUp || isRetired) return
        await life.rest()
        begin('config')
      })
    },
    async retire(): Promise<void> {
      isRetired = true
      await take(() => end('config'))
    },
  })
}

function refuseFailure(name: string, outcome: StartOutcome): void {
  if (outcome === 'ready') return
  const why = outcome === 'stopped' ? 'was stopped meanwhile' : outcome.reason
  throw new ComposerError('START_FAILED', `Server "${name}" failed to start: it ${why}.`)
}

async function unlessAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  try {
    await abortable(promise, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function cancelled({ reason }: AbortSignal): ComposerError {
  if (reason instanceof ComposerError) return reason
  return new ComposerError('CANCELLED', 'The call was cancelled.', { cause: reason })
}
