import type { JsonObject } from '../json.ts'
import { type Message, toolCallsOf } from '../message.ts'
import type { ToolDeclaration } from '../model/model.ts'
import { propertiesOf } from './arguments.ts'

const NAME = 'notebook_name'

/** Who has just opened a notebook, or worked in one, means that one: several conversations may have theirs open at the same tools. */
export function withCurrentNotebook(
  { name, args }: { readonly name: string; readonly args: JsonObject },
  messages: readonly Message[],
  tools: readonly ToolDeclaration[],
): JsonObject {
  const tool = tools.find((one) => one.name === name)
  if (!tool || NAME in args || !propertiesOf(tool).has(NAME)) return args
  const current = lastNotebook(messages)
  return current === undefined ? args : { ...args, [NAME]: current }
}

function lastNotebook(messages: readonly Message[]): string | undefined {
  const done = new Set(
    messages.flatMap((message) =>
      message.role === 'tool' && !message.result.isError ? [message.callId] : [],
    ),
  )
  return messages
    .flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : []))
    .filter(({ id }) => done.has(id))
    .map(({ args }) => args[NAME])
    .findLast((name) => typeof name === 'string')
}
