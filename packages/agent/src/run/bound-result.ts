import type { ContentBlock, ToolResult } from '../tool.ts'

/** Of one answer, in characters: texts, what is structured, and the data of images all count. */
export const MOST_CHARACTERS = 1024 * 1024

/** What a block takes beside its text. */
const BLOCK_CHARACTERS = 64

/** The same where it is of a sensible size; else as much of it as there is room for, from its beginning, and a sentence that says so. */
export function boundResult(result: ToolResult, most = MOST_CHARACTERS): ToolResult {
  const { content, structuredContent, isError, _meta } = result
  const rest = lengthOf(structuredContent) + lengthOf(_meta)
  const total = content.reduce((sum, block) => sum + sizeOf(block), rest)
  if (total <= most) return result
  let room = most
  const kept: ContentBlock[] = []
  for (const block of content) {
    const part = sizeOf(block) <= room ? block : cut(block, room - BLOCK_CHARACTERS)
    if (part === undefined) break
    kept.push(part)
    room -= sizeOf(part)
  }
  const isRoomForRest = rest <= room
  return {
    content: [...kept, { type: 'text', text: sentence(total, most) }],
    ...(isRoomForRest && structuredContent !== undefined && { structuredContent }),
    ...(isError !== undefined && { isError }),
    ...(isRoomForRest && _meta !== undefined && { _meta }),
  }
}

function sizeOf(block: ContentBlock): number {
  if (block.type === 'text') return block.text.length + BLOCK_CHARACTERS
  if (block.type === 'image' || block.type === 'audio') return block.data.length + BLOCK_CHARACTERS
  return lengthOf(block) + BLOCK_CHARACTERS
}

function lengthOf(value: unknown): number {
  return value === undefined ? 0 : JSON.stringify(value).length
}

/** Undefined where nothing of it can be kept: of an image, or whatever else is no text, a part is of no use. */
function cut(block: ContentBlock, room: number): ContentBlock | undefined {
  if (room <= 0) return undefined
  if (block.type === 'text') return { type: 'text', text: block.text.slice(0, room).toWellFormed() }
  const text = `[${block.type} left out: it is too large]`
  return text.length <= room ? { type: 'text', text } : undefined
}

function sentence(total: number, most: number): string {
  return `[This answer was cut: it had ${total} characters, and ${most} are kept of one at the most. Ask for less of it, or for one part after the other.]`
}
