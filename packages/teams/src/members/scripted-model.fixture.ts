import { AgentError } from '@quire/agent/agent-error'
import type { JsonObject } from '@quire/agent/json'
import type { FinishReason, Model, ModelEvent, ModelRequest } from '@quire/agent/model'
import type { Models } from '@quire/agent/models'
import type { Usage } from '@quire/agent/usage'

export interface ScriptedReply {
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** `stop` by default, `tool_calls` where there are calls. */
  readonly finish?: FinishReason
  /** 10 of the prompt and 5 of the answer by default. */
  readonly usage?: Usage
  /** What comes behind the text in place of `finish`. `hang`: nothing, until the signal aborts. `deaf`: nothing, whatever aborts. `endless`: more text, until the signal aborts. */
  readonly ending?: 'hang' | 'deaf' | 'endless' | Error
}

export interface ScriptedCall {
  /** `call-N` by default, and no two of a process are the same. */
  readonly id?: string
  readonly name: string
  /** A string is sent as it is. */
  readonly args?: JsonObject | string
}

/** A string is said; an error is thrown, at once. */
export type ScriptedAnswer = string | Error | ScriptedReply

/** Of a list one answer after the other, and the last one from then on. `asked` counts the requests to this model, from 0. */
export type ScriptedAnswers =
  | ScriptedAnswer
  | readonly ScriptedAnswer[]
  | ((request: ModelRequest, asked: number) => ScriptedAnswer | Promise<ScriptedAnswer>)

export interface ScriptedModelsOptions {
  /** US dollars, of prompt and answer alike. Absent: nobody knows the price. */
  readonly costPerToken?: number
  /** Absent: nobody knows. */
  readonly contextWindow?: number
}

export interface ScriptedModels extends Models {
  /** The newest 1,000 of all models, oldest first. Whether one was aborted says its signal. */
  readonly requests: readonly { readonly id: string; readonly request: ModelRequest }[]
}

/** It says nothing, until the signal aborts. */
export const HANGS: ScriptedReply = Object.freeze({ ending: 'hang' })
export const TEN_MEBIBYTES: ScriptedReply = Object.freeze({ text: 'ten bytes '.repeat(1024 * 1024) })

const MOST_REQUESTS = 1_000
const USAGE: Usage = Object.freeze({ promptTokens: 10, completionTokens: 5 })

/** Models that answer what the script says, by their ids. Any other id is an `unknown_model`. */
export function createScriptedModels(
  script: Readonly<Record<string, ScriptedAnswers>>,
  { costPerToken, contextWindow }: ScriptedModelsOptions = {},
): ScriptedModels {
  const requests: { id: string; request: ModelRequest }[] = []
  const models = new Map(Object.entries(script).map(([id, answers]) => [id, createModel(id, answers)]))
  let calls = 0

  return Object.freeze({
    requests,
    async open(id: string): Promise<Model> {
      const model = models.get(id)
      if (model === undefined) throw new AgentError('unknown_model', `The script has no model "${id}".`)
      return model
    },
    list: () => [...models.keys()].map((id) => ({ id, name: id, available: true, requires: [] })),
    isPriced: async () => costPerToken !== undefined,
  })

  function createModel(id: string, answers: ScriptedAnswers): Model {
    let asked = 0
    return Object.freeze({
      id,
      contextWindow,
      cost: ({ promptTokens, completionTokens }: Usage) =>
        costPerToken === undefined ? undefined : (promptTokens + completionTokens) * costPerToken,
      async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
        request.signal.throwIfAborted()
        if (requests.push({ id, request }) > MOST_REQUESTS) requests.shift()
        const answer = await answerOf(answers, request, asked++)
        if (answer instanceof Error) throw answer
        yield* play(typeof answer === 'string' ? { text: answer } : answer, request.signal)
      },
    })
  }

  async function* play(reply: ScriptedReply, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { text = '', calls: wanted = [], usage = USAGE } = reply
    if (text !== '') yield { type: 'text', text }
    for (const { id = `call-${++calls}`, name, args = {} } of wanted) {
      yield { type: 'tool_call', id, name, argsText: typeof args === 'string' ? args : JSON.stringify(args) }
    }
    if (reply.ending instanceof Error) throw reply.ending
    if (reply.ending === 'deaf') await new Promise(() => undefined)
    if (reply.ending === 'hang') await aborted(signal)
    while (reply.ending === 'endless') {
      yield { type: 'text', text: 'and so on, ' }
      await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
    }
    yield { type: 'finish', reason: reply.finish ?? (wanted.length > 0 ? 'tool_calls' : 'stop'), usage }
  }
}

function answerOf(
  answers: ScriptedAnswers,
  request: ModelRequest,
  asked: number,
): ScriptedAnswer | Promise<ScriptedAnswer> {
  if (typeof answers === 'function') return answers(request, asked)
  if (!isList(answers)) return answers
  return answers[Math.min(asked, answers.length - 1)] ?? new Error('The script has no answers.')
}

function isList(answers: ScriptedAnswers): answers is readonly ScriptedAnswer[] {
  return Array.isArray(answers)
}

async function aborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted()
  return await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
