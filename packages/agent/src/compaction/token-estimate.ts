import type { JsonObject } from '../json.ts'
import type { Message } from '../message.ts'
import type { ToolDeclaration } from '../model/model.ts'
import type { ContentBlock, ToolResult } from '../tool.ts'

export const CHARACTERS_PER_TOKEN = 4
/** What a message or a tool weighs beside its words. */
const FRAME_CHARACTERS = 16
/** Some 1,500 tokens, whatever its bytes. */
const IMAGE_CHARACTERS = 6_000

export interface TokenEstimate {
  ofText(text: string): number
  ofMessages(messages: readonly Message[]): number
  ofTools(tools: readonly ToolDeclaration[]): number
}

/** A guess from the number of characters. Schemas of tools come again with each prompt, so they are measured once. */
export function createTokenEstimate(): TokenEstimate {
  const schemas = new WeakMap<JsonObject, number>()

  return Object.freeze({
    ofText: (text: string) => toTokens(text.length),
    ofMessages: (messages: readonly Message[]) => toTokens(sum(messages, charactersOf)),
    ofTools: (tools: readonly ToolDeclaration[]) =>
      toTokens(
        sum(
          tools,
          ({ name, description, inputSchema }) =>
            FRAME_CHARACTERS + name.length + description.length + ofSchema(inputSchema),
        ),
      ),
  })

  function ofSchema(schema: JsonObject): number {
    const known = schemas.get(schema)
    if (known !== undefined) return known
    const characters = JSON.stringify(schema).length
    schemas.set(schema, characters)
    return characters
  }
}

function charactersOf(message: Message): number {
  if (message.role === 'user') return FRAME_CHARACTERS + message.text.length
  if (message.role === 'tool') return FRAME_CHARACTERS + ofResult(message.result)
  return sum(message.parts, (part) => {
    if (part.type !== 'tool_call') return FRAME_CHARACTERS + part.text.length
    return FRAME_CHARACTERS + part.name.length + (part.malformed ?? JSON.stringify(part.args)).length
  })
}

/** What is structured is shown beside the text, unless that is the same JSON. */
function ofResult({ content, structuredContent }: ToolResult): number {
  const characters = sum(content, ofBlock)
  if (structuredContent === undefined || content.some(isJson)) return characters
  return characters + JSON.stringify(structuredContent).length
}

function isJson(block: ContentBlock): boolean {
  return block.type === 'text' && /^\s*[[{]/.test(block.text)
}

function ofBlock(block: ContentBlock): number {
  if (block.type === 'text') return block.text.length
  return block.type === 'image' || block.type === 'audio' ? IMAGE_CHARACTERS : JSON.stringify(block).length
}

function toTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  let total = 0
  for (const item of items) total += of(item)
  return total
}
