import type { Message } from '../message.ts'
import type { ContentBlock, ToolResult } from '../tool.ts'

/** The answers of tools in these messages, each cut down to so many characters. Where none is longer, it is the same list. */
export function shortenResults(messages: readonly Message[], limit: number): readonly Message[] {
  const shortened = messages.map((message) => {
    if (message.role !== 'tool') return message
    const result = shortenResult(message.result, limit)
    return result === message.result ? message : { ...message, result }
  })
  return shortened.some((message, index) => message !== messages[index]) ? shortened : messages
}

/** Two thirds of its head and a third of its tail, and how much is missing between. */
export function shortenText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = Math.ceil((limit * 2) / 3)
  const tail = limit - head
  const missing = text.length - limit
  const end = tail === 0 ? '' : text.slice(-tail)
  return `${text.slice(0, head)}\n[… ${missing} characters left out to save room …]\n${end}`.toWellFormed()
}

/** Of a long answer only its text is kept: what is structured cannot be cut in the middle. */
function shortenResult(result: ToolResult, limit: number): ToolResult {
  const text = textOfResult(result)
  const structured =
    result.structuredContent === undefined ? 0 : JSON.stringify(result.structuredContent).length
  const isLong = text.length > limit || structured > limit || result.content.some(isMedia)
  if (!isLong) return result
  const content = [{ type: 'text', text: shortenText(text, limit) }] as const
  return result.isError === undefined ? { content } : { content, isError: result.isError }
}

export function textOfResult({ content }: ToolResult): string {
  return content.map(textOfBlock).join('\n')
}

function textOfBlock(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  return isMedia(block) ? `[${block.type} left out to save room]` : JSON.stringify(block)
}

function isMedia(block: ContentBlock): boolean {
  return block.type === 'image' || block.type === 'audio'
}
