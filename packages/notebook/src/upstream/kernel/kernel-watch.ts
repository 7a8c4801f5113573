import type { Logger } from '@quire/kit/log'
import { died, gone, isNotFound, type Loss, restarted } from './loss.ts'
import type { Requests } from './requests.ts'
import { withSignal } from './with-signal.ts'

/** Looks after code that was sent: what the kernel knows nothing of any more is ended, so that nobody waits for it. */
export interface KernelWatch {
  /** A message has come, or code was sent. */
  heard(): void
  quietMs(): number
  /** Whenever there is more or less to look after. */
  update(): void
  /** The connection was made again. */
  lookAround(): void
}

export interface KernelWatchOptions {
  readonly kernelId: string
  readonly requests: Requests
  readonly silenceMs: number
  readonly now: () => number
  readonly logger: Logger
  /** The kernel's state in the notebook server's words; throws `not_found` when it is gone. */
  readonly askServer: () => Promise<unknown>
  /** Resolves when the kernel has answered behind all that was sent before. */
  readonly askKernel: () => Promise<void>
  /** Of the kernel that answered last. */
  readonly session: () => string | undefined
  readonly onLost: (loss: Loss) => void
}

const TICK_MS = 1_000
const ANSWER_MS = 5_000
const AROUND_MS = 3_000
/** What a busy kernel is asked waits in its line: it is asked this much less often. */
const BUSY_TIMES = 3

export function createKernelWatch(options: KernelWatchOptions): KernelWatch {
  const { kernelId, requests, silenceMs, now, logger, askServer, askKernel, session, onLost } = options
  let lastHeard = now()
  let lastBreak = Number.NEGATIVE_INFINITY
  let lastAsked = Number.NEGATIVE_INFINITY
  let ticking: NodeJS.Timeout | undefined
  let isLooking = false

  return Object.freeze({
    heard() {
      lastHeard = now()
    },
    quietMs,
    update() {
      if (requests.size() > 0) ticking ??= setInterval(tick, TICK_MS).unref()
      else {
        clearInterval(ticking)
        ticking = undefined
      }
    },
    lookAround() {
      lastBreak = now()
      look()
    },
  })

  function quietMs(): number {
    return now() - lastHeard
  }

  function tick(): void {
    for (const { execution } of requests.all()) execution.announce()
    const isSilent = quietMs() >= silenceMs
    // Right after a break the server may take our own question for code that runs.
    const isBack = now() - lastBreak < AROUND_MS
    if (isSilent || isBack || requests.some(({ execution }) => execution.isHalfEnded())) look()
  }

  function look(): void {
    if (isLooking) return
    isLooking = true
    check()
      .catch((error) => logger.debug({ err: error, kernel: kernelId }, 'nothing is known of a kernel'))
      .finally(() => {
        isLooking = false
      })
  }

  async function check(): Promise<void> {
    const sent = requests.all()
    const state = await askServerOrGone()
    if (state === 'gone') return onLost(gone(kernelId))
    if (state === 'dead') return onLost(died(false))
    // A server that missed the end of a flood, or of a kernel that it has started again, takes it for busy ever after; one that is busy answers when it is not.
    const isDue = now() - lastAsked >= silenceMs * BUSY_TIMES
    if (state === 'busy' && !isDue && !sent.some(({ execution }) => execution.hasReply())) return
    lastAsked = now()
    await withSignal(askKernel(), AbortSignal.timeout(ANSWER_MS))
    for (const request of sent) {
      if (request.session !== undefined && request.session !== session()) request.execution.lose(restarted())
      else request.execution.conclude()
    }
  }

  async function askServerOrGone(): Promise<unknown> {
    try {
      return await askServer()
    } catch (error) {
      if (isNotFound(error)) return 'gone'
      throw error
    }
  }
}
