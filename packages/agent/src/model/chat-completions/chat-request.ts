import type { AssistantMessage, ToolCallPart } from '../../message.ts'
import type { ModelRequest, ToolDeclaration } from '../model.ts'
import { answersAfter } from '../to-prompt.ts'

/** The body of a request: https://platform.openai.com/docs/api-reference/chat/create. */
export function toChatBody(request: ModelRequest, model: string, asksForUsage: boolean): string {
  const { tools, maxOutputTokens } = request
  return JSON.stringify({
    model,
    stream: true,
    ...(asksForUsage && { stream_options: { include_usage: true } }),
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
    messages: toMessages(request),
    ...(tools.length > 0 && { tools: tools.map(toTool) }),
  })
}

function toMessages({ system, messages }: ModelRequest): object[] {
  const sent: object[] = system ? [{ role: 'system', content: system }] : []
  for (const [at, message] of messages.entries()) {
    if (message.role === 'user') sent.push({ role: 'user', content: message.text })
    if (message.role !== 'assistant' || !saysAnything(message)) continue
    sent.push(toAssistant(message))
    for (const { toolCallId, output } of answersAfter(messages, at, false)) {
      const value = 'value' in output ? output.value : ''
      const content = typeof value === 'string' ? value : JSON.stringify(value)
      sent.push({ role: 'tool', tool_call_id: toolCallId, content })
    }
  }
  return sent
}

function saysAnything({ parts }: AssistantMessage): boolean {
  return parts.some((part) => part.type === 'tool_call' || part.text !== '')
}

function toAssistant({ parts }: AssistantMessage): object {
  const calls = parts.filter((part) => part.type === 'tool_call').map(toCall)
  const text = wordsOf('text')
  const thought = wordsOf('reasoning')
  return {
    role: 'assistant',
    content: calls.length > 0 ? text || null : text,
    ...(thought !== '' && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }

  function wordsOf(type: 'text' | 'reasoning'): string {
    return parts.map((part) => (part.type === type ? part.text : '')).join('')
  }
}

function toCall({ id, name, args, metadata }: ToolCallPart): object {
  const signature = metadata?.google?.thoughtSignature
  return {
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
    ...(typeof signature === 'string' && { extra_content: { google: { thought_signature: signature } } }),
  }
}

function toTool({ name, description, inputSchema }: ToolDeclaration): object {
  return { type: 'function', function: { name, description, parameters: { type: 'object', ...inputSchema } } }
}
