import { isJsonObject, type JsonObject, type JsonValue } from '@quire/agent/json'
import { type AssistantMessage, type Message, textOf, toolCallsOf } from '@quire/agent/message'
import type { Model } from '@quire/agent/model'
import { runAgent } from '@quire/agent/run-agent'
import { addSpent, type SpentUsage, toSpent } from '@quire/agent/spent'
import { errorResult, type Tool } from '@quire/agent/tool'
import { z } from 'zod'
import { createGatedModel } from './gated-model.ts'
import type { BudgetGate } from './members.ts'
import { type Reading, readAnswer, readAnswerText } from './read-answer.ts'
import type { RemoteAgents } from './remote-agents.ts'
import type { Question } from './supervisor-questions.ts'

export interface Asked<Answer> {
  /** Undefined: no sense could be made of it, twice. */
  readonly answer: Answer | undefined
  /** What was wrong with the last one. */
  readonly problem: string
  readonly spent: SpentUsage
}

/** One request, with what was wrong with the answer to the one before. */
type Ask<Answer> = (
  problem: string | undefined,
) => Promise<{ readonly reading: Reading<Answer>; readonly spent: SpentUsage }>

export async function askTwice<Answer>(ask: Ask<Answer>): Promise<Asked<Answer>> {
  const first = await ask(undefined)
  if ('answer' in first.reading) return { answer: first.reading.answer, problem: '', spent: first.spent }
  const second = await ask(first.reading.problem)
  const spent = addSpent(first.spent, second.spent)
  if ('answer' in second.reading) return { answer: second.reading.answer, problem: '', spent }
  return { answer: undefined, problem: second.reading.problem, spent }
}

/** Of a model the answer is the arguments of a call of the one tool that it is offered. */
export function toModelAsk<Answer>(
  model: Model,
  { system, text, tool, answer, defaults }: Question<Answer>,
  { gate, signal }: { readonly gate: BudgetGate; readonly signal: AbortSignal },
): Ask<Answer> {
  const isRuleBased = model.id.startsWith('builtin:')
  const offered = toTool(tool, toSchema(answer, isRuleBased ? defaults : undefined))
  const systemPrompt = `${system}\n\nAnswer by calling ${tool.name} once, and say nothing beside it.`
  let said: AssistantMessage | undefined

  return async (problem) => {
    const gated = createGatedModel(model, gate)
    const messages = conversation(text, said, problem && complaint(problem))
    const run = runAgent({ systemPrompt, maxSteps: 1 }, messages, {
      model: gated.model,
      tools: [offered],
      signal,
    })
    const { messages: added, usage, reason, error } = await run.result()
    signal.throwIfAborted()
    const refusal = gated.refusal()
    if (refusal !== undefined) throw refusal.error
    // The limit of steps is what ends a run of one request whose tool is never called.
    if (reason === 'failed' && error?.fault !== 'steps' && error?.fault !== 'garbled') throw error
    said = added.find((message) => message.role === 'assistant')
    return { reading: readMessage(said, tool.name, answer), spent: toSpent(usage, model) }
  }
}

/** An agent elsewhere has tools of its own: it is asked for the object in words. */
export function toAgentAsk<Answer>(
  agents: RemoteAgents,
  { system, text, answer }: Question<Answer>,
  asking: Omit<Parameters<RemoteAgents['ask']>[0], 'prompts'>,
): Ask<Answer> {
  const schema = JSON.stringify(toSchema(answer))
  const prompts = [
    `${system}\n\n${text}\n\nAnswer with one JSON object and nothing else. Its JSON Schema: ${schema}`,
  ]
  return async (problem) => {
    if (problem !== undefined) prompts.push(complaint(problem))
    const { text: said, spent, error } = await agents.ask({ ...asking, prompts })
    if (error !== undefined) throw error
    return { reading: readAnswerText(said, answer), spent }
  }
}

function conversation(
  text: string,
  said: AssistantMessage | undefined,
  objection: string | undefined,
): readonly Message[] {
  if (objection === undefined) return [{ role: 'user', text }]
  if (said === undefined) return [{ role: 'user', text: `${text}\n\n${objection}` }]
  const calls = toolCallsOf(said)
  const result = errorResult(objection)
  return [
    { role: 'user', text },
    said,
    ...calls.map(({ id, name }): Message => ({ role: 'tool', callId: id, name, result })),
    ...(calls.length === 0 ? [{ role: 'user', text: objection } as const] : []),
  ]
}

function readMessage<Answer>(
  said: AssistantMessage | undefined,
  name: string,
  schema: z.ZodType<Answer>,
): Reading<Answer> {
  if (said === undefined) return { problem: 'there was none' }
  const [call, ...others] = toolCallsOf(said)
  if (call === undefined) return readAnswerText(textOf(said), schema)
  if (others.length > 0) return { problem: 'there were several calls, where there is to be one' }
  if (call.name !== name) return { problem: 'another tool was called' }
  if (call.malformed !== undefined) return { problem: 'the arguments were no JSON object' }
  return readAnswer(call.args, schema)
}

function complaint(problem: string): string {
  return `No sense could be made of your answer: ${problem}. Answer once more, as you were asked to.`
}

function toTool({ name, description }: Question<unknown>['tool'], inputSchema: JsonObject): Tool {
  return {
    name,
    description,
    inputSchema,
    execute: async () => errorResult('This is an answer, not a tool.'),
  }
}

function toSchema(answer: z.ZodType, defaults?: unknown): JsonObject {
  const { $schema: _, properties, ...rest } = z.toJSONSchema(answer)
  const entries = Object.entries(properties ?? {}).map(([name, schema]) => {
    const value = isJsonObject(defaults) ? defaults[name] : undefined
    return [name, value === undefined ? schema : { ...Object(schema), default: value }]
  })
  // What zod makes of a schema is JSON, which its type does not say.
  return { ...(rest as Record<string, JsonValue>), properties: Object.fromEntries(entries) }
}
