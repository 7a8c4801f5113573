import type { Message } from '../message.ts'
import type { ModelRequest } from '../model/model.ts'
import type { Usage } from '../usage.ts'

const CHARACTERS_PER_TOKEN = 4

/** There are no tokens here; a quarter of the characters is what they would roughly be. */
export function estimateUsage({ system = '', messages, tools }: ModelRequest, answer: string): Usage {
  const declared = tools.map(({ name, description }) => name.length + description.length)
  const said = messages.map(lengthOf)
  const prompt = [...declared, ...said].reduce((sum, length) => sum + length, system.length)
  return { promptTokens: toTokens(prompt), completionTokens: toTokens(answer.length) }
}

function toTokens(characters: number): number {
  return Math.max(1, Math.ceil(characters / CHARACTERS_PER_TOKEN))
}

function lengthOf(message: Message): number {
  if (message.role === 'user') return message.text.length
  const texts =
    message.role === 'tool'
      ? message.result.content.map((block) => (block.type === 'text' ? block.text : ''))
      : message.parts.map((part) => (part.type === 'tool_call' ? part.name : part.text))
  return texts.reduce((sum, text) => sum + text.length, 0)
}
