import type { Calls } from '../calls/calls.ts'
import type { Asker, Params, Reply } from '../rpc.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'
import { canBeAsked, checkQuestion, withoutQuestions } from './client-questions.ts'
import type { GatewayRequest } from './gateway.ts'
import { answerInputRounds } from './input-rounds.ts'
import { toModernResult } from './modern-result.ts'
import { INVALID_PARAMS, RESOURCE_NOT_FOUND } from './rpc-codes.ts'
import { expired, type SuspendedCalls } from './suspended-calls.ts'

/**
 * One request to one server, its params as that server wants them, answered in the era of the client, whatever the server speaks.
 * The target says what of the server is asked for, so that an answer cannot be brought to another question.
 */
export type Relay = (server: SupervisedServer, request: GatewayRequest, target: string) => Promise<Reply>

/** The requests that a server may answer with a question. */
const WITH_QUESTIONS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

export function createRelay(options: {
  readonly calls: Calls
  readonly suspendedCalls: SuspendedCalls
}): Relay {
  const { calls, suspendedCalls } = options

  return function relay(server, request, target) {
    return request.client.era === 'legacy'
      ? relayLegacy(server, request)
      : relayModern(server, request, target).then((reply) => toModern(request.method, reply))
  }

  async function relayLegacy(server: SupervisedServer, request: GatewayRequest): Promise<Reply> {
    const asker = toAsker(request)
    const send = (params: Params) => calls.request(server, request.method, params, asker)
    const reply = await send(request.params)
    const isDone = 'error' in reply || reply.era !== 'modern'
    return isDone ? reply : answerInputRounds(reply, request.params, request, send)
  }

  async function relayModern(
    server: SupervisedServer,
    request: GatewayRequest,
    target: string,
  ): Promise<Reply> {
    const { method, params, client, signal } = request
    const qualified = `${server.name} ${target}`
    if (suspendedCalls.isResumed(request)) return suspendedCalls.resume(request, qualified)
    const asker = { ...toAsker(request), ask: undefined }
    // Only a server that speaks its era can have given a client this: for another the call would begin anew.
    if (params.requestState !== undefined && (await server.use(signal)).eraFor(client.era) === 'legacy')
      throw expired()
    const canSuspend = WITH_QUESTIONS.has(method) && canBeAsked(client.capabilities)
    if (!canSuspend || server.link()?.eraFor(client.era) === 'modern')
      return calls.request(server, method, params, asker)
    return suspendedCalls.begin(request, qualified, (line) =>
      calls.request(server, method, params, { ...asker, ...line }),
    )
  }
}

function toAsker(request: GatewayRequest): Asker {
  const { client, signal, logLevel, notify, pause, ask } = request
  const { era, capabilities, clientInfo } = client
  const isReachable = ask !== undefined || era === 'modern'
  return {
    era,
    capabilities: isReachable ? capabilities : withoutQuestions(capabilities),
    clientInfo,
    client,
    signal,
    logLevel,
    notify,
    pause,
    ask:
      ask &&
      (async (method, params, askSignal) => {
        checkQuestion(method, params, capabilities)
        return ask(method, params, askSignal)
      }),
  }
}

function toModern(method: string, reply: Reply): Reply {
  if ('error' in reply) {
    const { error } = reply
    return error.code === RESOURCE_NOT_FOUND ? { error: { ...error, code: INVALID_PARAMS } } : reply
  }
  return reply.era === 'legacy' ? { result: toModernResult(method, reply.result), era: 'modern' } : reply
}
