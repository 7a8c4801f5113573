import { expect, test } from 'vitest'
import type { ContentBlock, ToolResult } from '../tool.ts'
import { boundResult, MOST_CHARACTERS } from './bound-result.ts'
import { callTool } from './call-tool.ts'

const text = (length: number): ContentBlock => ({ type: 'text', text: 'x'.repeat(length) })
const image = (length: number): ContentBlock => ({
  type: 'image',
  data: 'A'.repeat(length),
  mimeType: 'image/png',
})

test('what is of a sensible size stays as it is', () => {
  const result: ToolResult = { content: [text(900), image(50)], structuredContent: { a: 1 }, _meta: { b: 2 } }
  expect(boundResult(result)).toBe(result)
})

test.each<[string, ToolResult]>([
  ['a long text', { content: [text(5_000)] }],
  ['many texts', { content: Array.from({ length: 500 }, () => text(10)) }],
  ['empty texts without end', { content: Array.from({ length: 100_000 }, () => text(0)) }],
  ['an image', { content: [image(5_000)] }],
  ['an image behind a text', { content: [text(500), image(5_000), text(10)] }],
  ['a resource', { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'x'.repeat(5_000) } }] }],
  ['what is structured', { content: [text(10)], structuredContent: { a: 'x'.repeat(5_000) } }],
  ['metadata', { content: [], _meta: { a: 'x'.repeat(5_000) } }],
  ['a failure', { content: [text(5_000)], isError: true }],
  ['half of a pair at the cut', { content: [{ type: 'text', text: '😀'.repeat(3_000) }] }],
])('%s is cut, and says so', (_what, result) => {
  const bounded = boundResult(result, 1_001)
  const sentence = bounded.content.at(-1)
  expect(sentence).toMatchObject({ text: expect.stringContaining('This answer was cut: it had ') })
  expect(JSON.stringify(bounded).length).toBeLessThan(2_000)
  expect(JSON.stringify(bounded).isWellFormed()).toBe(true)
  expect(bounded.isError).toBe(result.isError)
})

test('the beginning of a text is kept, and what fits behind it', () => {
  const { content } = boundResult({ content: [image(50), text(5_000)], _meta: {} }, 1_000)
  expect(content).toHaveLength(3)
  expect(content[0]).toEqual(image(50))
  expect(content[1]).toEqual(text(1_000 - 50 - 64 - 64))
})

test('every answer of a tool goes through it', async () => {
  const tool = {
    name: 'big',
    description: '',
    inputSchema: {},
    execute: async () => ({ content: [text(3 * MOST_CHARACTERS)] }),
  }
  const { signal } = new AbortController()
  const { content } = await callTool(tool, { id: 'c1', name: 'big', args: {} }, signal)
  expect(JSON.stringify(content).length).toBeLessThan(MOST_CHARACTERS + 1_000)
  expect(JSON.stringify(content)).toContain('it had 3145792 characters')
})
