import { expect } from 'vitest'
import type { AgentEvent } from '../event.ts'
import { type Message, toolCallsOf } from '../message.ts'
import type { FinishReason, Model, ModelEvent, ModelRequest } from '../model/model.ts'
import type { Tool, ToolContext, ToolResult } from '../tool.ts'
import type { AgentRun, RunOptions } from './run-agent.ts'

/** An error is thrown; `silence` lasts until the signal aborts; `deafness` lasts for ever. */
export type Line = ModelEvent | Error | 'silence' | 'deafness'

export interface ScriptedModel extends Model {
  readonly requests: ModelRequest[]
}

/** A model that says, request by request, what stands in the script. */
export function scriptedModel(...steps: readonly (readonly Line[])[]): ScriptedModel {
  const requests: ModelRequest[] = []
  return {
    id: 'scripted:model',
    contextWindow: undefined,
    cost: () => undefined,
    requests,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      const step = steps[requests.length] ?? [new Error('The script has no more steps.')]
      requests.push(request)
      for (const line of step) {
        if (line instanceof Error) throw line
        if (line === 'deafness') await new Promise(() => undefined)
        else if (line === 'silence') await aborted(request.signal)
        else yield line
      }
    },
  }
}

export function says(text: string): ModelEvent {
  return { type: 'text', text }
}

export function thinks(text: string): ModelEvent {
  return { type: 'reasoning', text }
}

export function calls(id: string, name: string, args: unknown = {}): ModelEvent {
  return { type: 'tool_call', id, name, argsText: typeof args === 'string' ? args : JSON.stringify(args) }
}

export function ends(reason: FinishReason = 'stop', promptTokens = 10, completionTokens = 5): ModelEvent {
  return { type: 'finish', reason, usage: { promptTokens, completionTokens } }
}

export function toolNamed(
  name: string,
  execute: (args: Tool['inputSchema'], context: ToolContext) => ToolResult | Promise<ToolResult>,
  more: Partial<Tool> = {},
): Tool {
  return {
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: 'object' },
    execute: async (args, context) => execute(args, context),
    ...more,
  }
}

export function answer(text: string): ToolResult {
  return { content: [{ type: 'text', text }] }
}

export function user(text: string): Message {
  return { role: 'user', text }
}

export function options(
  model: Model,
  tools: readonly Tool[] = [],
  more: Partial<RunOptions> = {},
): RunOptions {
  return { model, tools, signal: new AbortController().signal, ...more }
}

export async function collect(run: AgentRun): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

/** The text of each result, by the id of its call. */
export function resultTexts(messages: readonly Message[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    messages.flatMap((message) => {
      if (message.role !== 'tool') return []
      const [block] = message.result.content
      return [[message.callId, block?.type === 'text' ? block.text : '']]
    }),
  )
}

/** Each call is answered once, right after the message that made it, and nothing else is: but for those that wait for a person, at the very end. */
export function expectAnswered(messages: readonly Message[], pending: readonly string[] = []): void {
  messages.forEach((message, index) => {
    if (message.role !== 'assistant') return
    expect(message.parts.length).toBeGreaterThan(0)
    const wanted = toolCallsOf(message).map(({ id }) => id)
    const rest = messages.slice(index + 1)
    const end = rest.findIndex(({ role }) => role !== 'tool')
    const answered = (end === -1 ? rest : rest.slice(0, end)).map((one) =>
      one.role === 'tool' ? one.callId : '',
    )
    const waiting = end === -1 ? pending : []
    expect([...answered, ...waiting].sort()).toEqual([...wanted].sort())
  })
}

async function aborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted()
  return await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
