import { ComposerError } from '../composer-error.ts'
import type { Link } from '../link/link.ts'
import { LinkError } from '../link/link-error.ts'
import type { Asker, Params, Reply } from '../rpc.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'
import { abortable } from '../supervisor/wait.ts'
import { createCallDeadline, withHeldQuestions, withProgress } from './call-deadline.ts'
import { type Asked, cancelled, timedOut, toCallFailure } from './call-failure.ts'

/** One request on its way, from the line before its server to its answer. A bare record, for there is one to every call. */
export interface Call {
  readonly server: SupervisedServer
  readonly asked: Asked
  readonly asker: Asker
  /** Ends it, here at once and at the server. */
  readonly stop: (error: ComposerError) => void
  /** Settled by its answer, or by its stop. */
  readonly outcome: PromiseWithResolvers<Reply>
  readonly signal: AbortSignal
  stage: 'line' | 'crashed' | 'starting' | 'sent'
  /** By which it was sent last. */
  link: Link | undefined
  /** Among those under way. */
  place: number
}

export function createCall(server: SupervisedServer, method: string, params: Params, asker: Asker): Call {
  const outcome = Promise.withResolvers<Reply>()
  const controller = new AbortController()
  const { signal } = controller
  function stop(error: ComposerError): void {
    outcome.reject(error)
    controller.abort(error)
  }
  const asked = { server: server.name, method, params }
  return { server, asked, asker, stop, outcome, signal, stage: 'line', link: undefined, place: 0 }
}

/** After its turn: the answer, or whatever ended it first, as an error for the caller. Nothing is left of it then. */
export async function runCall(call: Call, turn: Promise<void> | undefined): Promise<Reply> {
  const { asked, asker, signal, stop, outcome } = call
  const { limits } = call.server.definition
  const deadline = createCallDeadline(limits, (ms) => stop(timedOut(asked, ms, call.stage === 'line')))
  const abort = () => stop(cancelled(asked, asker.signal.reason))
  const own = withHeldQuestions({ ...asker, signal }, deadline)
  const sent = limits.resetOnProgress
    ? withProgress(asked.params, own, deadline.putOff)
    : { params: asked.params, asker: own }
  asker.signal.addEventListener('abort', abort)
  try {
    ask(call, turn, sent.params, sent.asker).then(outcome.resolve, outcome.reject)
    return await outcome.promise
  } catch (error) {
    throw toCallFailure(error, asked)
  } finally {
    deadline.end()
    asker.signal.removeEventListener('abort', abort)
  }
}

/** Whether an error of the call speaks against its server: it was lost, too slow, or did not start. */
export function isServerFault({ stage }: Call, error: unknown): boolean {
  if (!(error instanceof ComposerError)) return false
  const { code } = error
  if (code === 'SERVER_CRASHED') return stage === 'starting'
  return code === 'SERVER_LOST' || (code === 'TIMEOUT_ERROR' && stage !== 'line')
}

async function ask(
  call: Call,
  turn: Promise<void> | undefined,
  params: Params,
  asker: Asker,
): Promise<Reply> {
  if (turn) await turn
  const link = call.server.link() ?? (await startedLink(call))
  try {
    return await send(call, link, params, asker)
  } catch (error) {
    if (!(error instanceof LinkError && error.fault === 'forgotten')) throw error
  }
  // It was refused unread, so asking again in a new session repeats nothing. The old one is not offered any more once it has ended.
  await abortable(link.ended, call.signal)
  return send(call, await startedLink(call), params, asker)
}

function startedLink(call: Call): Promise<Link> {
  const { server, signal } = call
  call.stage = server.status().state === 'crashed' ? 'crashed' : 'starting'
  return server.use(signal)
}

function send(call: Call, link: Link, params: Params, asker: Asker): Promise<Reply> {
  call.signal.throwIfAborted()
  call.stage = 'sent'
  call.link = link
  return link.request(call.asked.method, params, asker)
}
