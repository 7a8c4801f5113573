import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import type { AssistantPart, Message, ProviderMetadata, ToolMessage } from '../message.ts'
import { toolCallsOf } from '../message.ts'
import type { ModelRequest, ToolDeclaration } from './model.ts'
import { toToolOutput } from './to-tool-output.ts'

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]
type ProviderOptions = NonNullable<LanguageModelV4Message['providerOptions']>

const UNKNOWN_RESULT = 'The call was interrupted. Whether it took effect is not known.'

export function toPrompt(
  { system, messages }: Pick<ModelRequest, 'system' | 'messages'>,
  takesImages: boolean,
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = system ? [{ role: 'system', content: system }] : []
  for (const [at, message] of messages.entries()) {
    if (message.role === 'user')
      prompt.push({ role: 'user', content: [{ type: 'text', text: message.text }] })
    if (message.role !== 'assistant') continue
    const content = message.parts.flatMap(toContent)
    if (content.length === 0) continue
    prompt.push({ role: 'assistant', content })
    const answers = answersAfter(messages, at, takesImages)
    if (answers.length > 0) prompt.push({ role: 'tool', content: answers })
  }
  return prompt
}

export function toFunctionTool({
  name,
  description,
  inputSchema,
}: ToolDeclaration): LanguageModelV4FunctionTool {
  // The package's type of a JSON Schema is of draft 7, and mutable; it is sent as it is.
  const schema = { type: 'object', ...inputSchema } as LanguageModelV4FunctionTool['inputSchema']
  return { type: 'function', name, description, inputSchema: schema }
}

/** To the calls of the message at this place. Providers refuse a conversation with a call that has no result, as one that was cut off leaves it. */
export function answersAfter(
  messages: readonly Message[],
  at: number,
  takesImages: boolean,
): LanguageModelV4ToolResultPart[] {
  const message = messages[at]
  if (message?.role !== 'assistant') return []
  const results = resultsAfter(messages, at)
  return toolCallsOf(message).map(({ id, name }) => {
    const found = results.find(({ callId }) => callId === id)
    const output = found
      ? toToolOutput(found.result, takesImages)
      : ({ type: 'error-text', value: UNKNOWN_RESULT } as const)
    return { type: 'tool-result', toolCallId: id, toolName: name, output }
  })
}

function resultsAfter(messages: readonly Message[], at: number): readonly ToolMessage[] {
  const results: ToolMessage[] = []
  for (let next = messages[at + 1]; next?.role === 'tool'; next = messages[at + 1 + results.length])
    results.push(next)
  return results
}

function toContent(part: AssistantPart): AssistantContent[] {
  const options = part.metadata && { providerOptions: toOptions(part.metadata) }
  if (part.type === 'tool_call')
    return [{ type: 'tool-call', toolCallId: part.id, toolName: part.name, input: part.args, ...options }]
  // Nothing said, and nothing that the provider wants back: some refuse an empty text.
  if (part.text === '' && options === undefined) return []
  return [{ type: part.type, text: part.text, ...options }]
}

/** The same JSON, which the package's types have mutable. */
function toOptions(metadata: ProviderMetadata): ProviderOptions {
  return metadata as ProviderOptions
}
