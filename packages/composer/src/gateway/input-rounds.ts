import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Params, type Reply, RpcFault } from '../rpc.ts'
import { checkQuestion, readQuestion } from './client-questions.ts'
import type { GatewayRequest } from './gateway.ts'
import { type InputRequired, readInputRequired } from './modern-result.ts'
import { INTERNAL_ERROR } from './rpc-codes.ts'

const MAX_ROUNDS = 8
/** Nothing else slows down a server that only wants to be asked again. */
const PAUSE_MS = 250
const ANSWER_MS = 5 * 60_000

/** Puts the questions of a stateless server to a client with a session, and asks the server again with the answers until it has no more. */
export async function answerInputRounds(
  first: Reply,
  params: Params,
  request: GatewayRequest,
  send: (params: Params) => Promise<Reply>,
): Promise<Reply> {
  let reply = first
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const required = 'result' in reply ? readInputRequired(reply.result) : undefined
    if (!required) return reply
    const inputResponses = await answerAll(required, request)
    const { requestState } = required
    reply = await send({
      ...params,
      ...(inputResponses && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    })
  }
  if ('error' in reply || !readInputRequired(reply.result)) return reply
  throw new RpcFault(INTERNAL_ERROR, `The server still asks for input after ${MAX_ROUNDS} rounds of answers.`)
}

async function answerAll(
  { inputRequests, requestState }: InputRequired,
  request: GatewayRequest,
): Promise<Params | undefined> {
  const questions = Object.entries(inputRequests)
  if (questions.length === 0) {
    if (requestState === undefined)
      throw new RpcFault(INTERNAL_ERROR, 'The server asks for input and does not say for which.')
    await sleep(PAUSE_MS, undefined, { signal: request.signal })
    return undefined
  }
  const round = new AbortController()
  const signal = AbortSignal.any([request.signal, round.signal, AbortSignal.timeout(ANSWER_MS)])
  try {
    const answers = questions.map(
      async ([key, entry]) => [key, await answer(entry, request, signal)] as const,
    )
    return Object.fromEntries(await Promise.all(answers))
  } catch (error) {
    if (error instanceof RpcFault) throw error
    throw new RpcFault(INTERNAL_ERROR, 'The client did not answer what the server asked.')
  } finally {
    // After the first failure nobody waits for the others.
    round.abort()
  }
}

async function answer(entry: unknown, request: GatewayRequest, signal: AbortSignal): Promise<unknown> {
  const { method, params } = readQuestion(entry)
  if (!request.ask)
    throw new RpcFault(INTERNAL_ERROR, 'The server asks for input, and this client cannot be asked.')
  checkQuestion(method, params, request.client.capabilities)
  return request.ask(method, toLegacyQuestion(method, params), signal)
}

/** The older revision wants an id for what the user does at an address; the newer one has none. */
function toLegacyQuestion(method: string, params: Params): Params {
  const needsId =
    method === 'elicitation/create' && params.mode === 'url' && params.elicitationId === undefined
  return needsId ? { ...params, elicitationId: randomUUID() } : params
}
