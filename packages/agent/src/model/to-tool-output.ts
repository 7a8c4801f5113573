import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { ContentBlock, ToolResult } from '../tool.ts'

type ContentOutput = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value']

const NO_OUTPUT = '(no output)'

/** Images go along where the provider takes them in the result of a tool; elsewhere the model is told that there was one. */
export function toToolOutput(result: ToolResult, takesImages: boolean): LanguageModelV4ToolResultOutput {
  const { content, structuredContent, isError = false } = result
  if (!isError && takesImages && content.some(({ type }) => type === 'image'))
    return { type: 'content', value: content.flatMap(toContent) }
  const texts = content.map(toText).filter((text) => text !== '')
  if (structuredContent === undefined) return toTextOutput(texts.join('\n') || NO_OUTPUT, isError)
  // Plain JSON, which the package's types have mutable.
  const value = structuredContent as Parameters<typeof JSON.stringify>[0]
  if (texts.length === 0) return { type: isError ? 'error-json' : 'json', value }
  // A server that structures its answer is to write the same as text too; not all do.
  if (!texts.some(isJsonText)) texts.push(JSON.stringify(structuredContent))
  return toTextOutput(texts.join('\n'), isError)
}

function toTextOutput(value: string, isError: boolean): LanguageModelV4ToolResultOutput {
  return { type: isError ? 'error-text' : 'text', value }
}

function toContent(block: ContentBlock): ContentOutput {
  if (block.type === 'image')
    return [{ type: 'file', mediaType: block.mimeType, data: { type: 'data', data: block.data } }]
  const text = toText(block)
  return text === '' ? [] : [{ type: 'text', text }]
}

function toText(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'image' || block.type === 'audio')
    return `[${block.type} of type ${block.mimeType}, not shown to this model]`
  const { resource, uri }: JsonObject = block
  const embedded = isJsonObject(resource) ? resource : { uri }
  if (typeof embedded.text === 'string') return embedded.text
  return `[resource ${String(embedded.uri ?? 'without an address')}]`
}

function isJsonText(text: string): boolean {
  return /^\s*[{[]/.test(text)
}
