import type { Message } from '../message.ts'
import type { Model } from '../model/model.ts'
import { answer, ends, type Line, says, scriptedModel, thinks, user } from '../run/script.fixture.ts'
import type { CompactionRequest } from './compaction.ts'

export const WINDOW = 10_000
const TOKEN = 'abcd'

export const summarized: readonly Line[] = [
  thinks('Hm.'),
  says('They talked '),
  says('a lot.'),
  ends('stop', 900, 30),
]

export function modelOf(...steps: readonly (readonly Line[])[]): ReturnType<typeof scriptedModel> {
  return { ...scriptedModel(...steps), contextWindow: WINDOW }
}

export function tokens(count: number): string {
  return TOKEN.repeat(count)
}

/** A question, a call with its result, an answer. */
export function turn(name: string, resultTokens: number, textTokens = 100): readonly Message[] {
  return [
    user(`Question ${name}: ${tokens(textTokens)}`),
    { role: 'assistant', parts: [{ type: 'tool_call', id: name, name: 'read', args: { name } }] },
    {
      role: 'tool',
      callId: name,
      name: 'read',
      result: answer(`Begin ${name}. ${tokens(resultTokens)} End ${name}.`),
    },
    { role: 'assistant', parts: [{ type: 'text', text: `Answer ${name}: ${tokens(textTokens)}` }] },
  ]
}

export function requestOf(
  model: Model,
  messages: readonly Message[],
  more: Partial<CompactionRequest> = {},
): CompactionRequest {
  return { model, messages, tools: [], signal: new AbortController().signal, ...more }
}
