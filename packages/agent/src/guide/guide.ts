import { randomUUID } from 'node:crypto'
import type { Model, ModelEvent, ModelRequest } from '../model/model.ts'
import { decide } from './decide.ts'
import { estimateUsage } from './estimate-usage.ts'
import { boundary } from './text.ts'

export interface GuideOptions {
  /** Ids of tool calls: the one thing that differs between two equal requests. */
  readonly createId?: () => string
}

const FRAGMENT = 48

/** A model without a network and without a key: it follows fixed rules, says so, and drives whatever tools it is given. */
export function createGuide({ createId = randomUUID }: GuideOptions = {}): Model {
  return Object.freeze({
    id: 'builtin:guide',
    contextWindow: undefined,
    cost: () => 0,
    stream: (request: ModelRequest) => answer(request, createId),
  })
}

async function* answer(request: ModelRequest, createId: () => string): AsyncGenerator<ModelEvent> {
  const { signal, maxOutputTokens } = request
  signal.throwIfAborted()
  const { text: whole, call, isUnable } = decide(request)
  const text =
    call || maxOutputTokens === undefined ? whole : whole.slice(0, boundary(whole, maxOutputTokens * 4))
  for (const fragment of fragmentsOf(text)) {
    signal.throwIfAborted()
    yield { type: 'text', text: fragment }
  }
  const argsText = call ? JSON.stringify(call.args) : ''
  signal.throwIfAborted()
  if (call) yield { type: 'tool_call', id: `call_${createId()}`, name: call.name, argsText }
  signal.throwIfAborted()
  const ending = isUnable ? 'unable' : 'stop'
  const reason = call ? 'tool_calls' : text.length < whole.length ? 'length' : ending
  yield { type: 'finish', reason, usage: estimateUsage(request, text + argsText) }
}

/** At spaces where there are any. */
function* fragmentsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const space = text.slice(start + FRAGMENT / 2, start + FRAGMENT).lastIndexOf(' ')
    const end =
      space >= 0 ? start + FRAGMENT / 2 + space + 1 : boundary(text, Math.min(start + FRAGMENT, text.length))
    yield text.slice(start, end)
    start = end
  }
}
