import { isRecord } from '@quire/mcp/json'
import { type Asker, type Params, type RpcError, RpcFault } from '../rpc.ts'

export type MessageId = string | number

/** A request of the server to us. */
export interface Question {
  readonly id: MessageId
  readonly method: string
  readonly params: Params
}

export type QuestionAnswer = { readonly result: Record<string, unknown> } | { readonly error: RpcError }

/** What servers ask of clients: sampling, elicitation, roots. Each question is answered once, whatever happens. */
export interface Questions {
  /**
   * @param askers Those of the one client whom the question can concern, none if there is none, undefined if there are several clients.
   */
  take(
    question: Question,
    askers: readonly Asker[] | undefined,
    reply: (answer: QuestionAnswer) => void,
  ): void
  /** The server has withdrawn it. */
  cancel(id: unknown): void
  /** Withdraws them all. */
  end(): void
}

const METHOD_NOT_FOUND = -32601
const INTERNAL_ERROR = -32603
const MAX_QUESTIONS = 256

/** By the name of the capability that a client declares for it. */
const CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
])

export function createQuestions(server: string): Questions {
  const open = new Map<MessageId, AbortController>()

  async function ask(question: Question, asker: Asker): Promise<QuestionAnswer> {
    const withdrawn = new AbortController()
    open.set(question.id, withdrawn)
    try {
      const signal = AbortSignal.any([withdrawn.signal, asker.signal])
      const result = await asker.ask?.(question.method, question.params, signal)
      if (isRecord(result)) return { result }
      return failure(INTERNAL_ERROR, 'The client answered with something that is no object.')
    } catch (error) {
      return { error: toRpcError(error, server) }
    } finally {
      if (open.get(question.id) === withdrawn) open.delete(question.id)
    }
  }

  function refusal({ method }: Question, askers: readonly Asker[] | undefined): QuestionAnswer {
    if (!askers) {
      const message = `Several clients are being served, and "${method}" does not say which of them it is for. Ask again while only one call is under way.`
      return failure(INTERNAL_ERROR, message)
    }
    if (method === 'roots/list') return { result: { roots: [] } }
    if (askers.length === 0) {
      return failure(
        METHOD_NOT_FOUND,
        `No client is being served at the moment who could answer "${method}".`,
      )
    }
    return failure(METHOD_NOT_FOUND, `The client that is being served cannot answer "${method}".`)
  }

  return Object.freeze({
    take(question, askers, reply) {
      const { id, method } = question
      const capability = CAPABILITIES.get(method)
      if (method === 'ping') return reply({ result: {} })
      if (capability === undefined) {
        return reply(failure(METHOD_NOT_FOUND, `There is no method "${method}".`))
      }
      const asker = askers?.find(({ ask: canAsk, capabilities }) => canAsk && capabilities[capability])
      if (!asker) return reply(refusal(question, askers))
      if (open.has(id)) return reply(failure(INTERNAL_ERROR, `The id ${id} is in use by another request.`))
      if (open.size >= MAX_QUESTIONS) {
        return reply(
          failure(INTERNAL_ERROR, 'Too many requests to clients are open. Wait for one to be answered.'),
        )
      }
      void ask(question, asker).then(reply)
    },
    cancel(id) {
      if (typeof id === 'string' || typeof id === 'number') open.get(id)?.abort()
    },
    end() {
      for (const withdrawn of open.values()) withdrawn.abort()
    },
  } satisfies Questions)
}

/** The message as a question; undefined when it is none. */
export function toQuestion(message: Readonly<Record<string, unknown>>): Question | undefined {
  const { id, method, params } = message
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined
  return { id, method, params: isRecord(params) ? params : {} }
}

function failure(code: number, message: string): QuestionAnswer {
  return { error: { code, message } }
}

function toRpcError(error: unknown, server: string): RpcError {
  if (!(error instanceof RpcFault)) {
    return { code: INTERNAL_ERROR, message: `The question of MCP server "${server}" could not be answered.` }
  }
  const { code, message, data } = error
  return { code, message, ...(data !== undefined && { data }) }
}
