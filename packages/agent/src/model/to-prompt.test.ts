import { describe, expect, test } from 'vitest'
import type { Message } from '../message.ts'
import type { ToolResult } from '../tool.ts'
import { toFunctionTool, toPrompt } from './to-prompt.ts'
import { toToolOutput } from './to-tool-output.ts'

const CALL = { type: 'tool_call', id: 'c1', name: 'draw', args: {} } as const
const USER = { role: 'user', text: 'Hello' } as const
const RESULT = {
  role: 'tool',
  callId: 'c1',
  name: 'draw',
  result: { content: [{ type: 'text', text: 'ok' }] },
} as const

function rolesOf(messages: readonly Message[]): string[] {
  return toPrompt({ messages }, true).map(({ role }) => role)
}

test('a call that was cut off gets a result that says so', () => {
  const prompt = toPrompt({ messages: [USER, { role: 'assistant', parts: [CALL] }, USER] }, true)
  expect(prompt.map(({ role }) => role)).toStrictEqual(['user', 'assistant', 'tool', 'user'])
  expect(JSON.stringify(prompt[2])).toContain('interrupted')
})

test('of two calls, the one without a result gets one', () => {
  const parts = [CALL, { ...CALL, id: 'c2' }]
  const prompt = toPrompt({ messages: [USER, { role: 'assistant', parts }, RESULT] }, true)
  expect(prompt.at(-1)?.content).toMatchObject([
    { toolCallId: 'c1', output: { type: 'text', value: 'ok' } },
    { toolCallId: 'c2', output: { type: 'error-text' } },
  ])
})

test('a result without its call, and a message without a word, are left out', () => {
  expect(rolesOf([RESULT, USER])).toStrictEqual(['user'])
  expect(
    rolesOf([
      USER,
      { role: 'assistant', parts: [] },
      { role: 'assistant', parts: [{ type: 'text', text: '' }] },
      USER,
    ]),
  ).toStrictEqual(['user', 'user'])
})

test('an empty part that a provider wants back is sent', () => {
  const metadata = { google: { thoughtSignature: 'sig' } }
  const parts = [{ type: 'text', text: '', metadata } as const]
  expect(toPrompt({ messages: [{ role: 'assistant', parts }] }, true)[0]?.content).toStrictEqual([
    { type: 'text', text: '', providerOptions: metadata },
  ])
})

test('the schema of a tool without arguments is an object all the same', () => {
  expect(toFunctionTool({ name: 'now', description: '', inputSchema: {} }).inputSchema).toStrictEqual({
    type: 'object',
  })
})

describe('the result of a tool', () => {
  const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const
  const text = { type: 'text', text: 'Here' } as const
  test.each<[string, ToolResult, boolean, unknown]>([
    ['a text', { content: [text, text] }, true, { type: 'text', value: 'Here\nHere' }],
    ['nothing', { content: [] }, true, { type: 'text', value: '(no output)' }],
    ['an error', { content: [text], isError: true }, true, { type: 'error-text', value: 'Here' }],
    [
      'an error with an image',
      { content: [image], isError: true },
      true,
      { type: 'error-text', value: '[image of type image/png, not shown to this model]' },
    ],
    ['JSON alone', { content: [], structuredContent: { a: 1 } }, true, { type: 'json', value: { a: 1 } }],
    [
      'JSON alone that is an error',
      { content: [], structuredContent: { a: 1 }, isError: true },
      true,
      { type: 'error-json', value: { a: 1 } },
    ],
    [
      'JSON that is text too',
      { content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } },
      true,
      { type: 'text', value: '{"a":1}' },
    ],
    [
      'JSON beside other words',
      { content: [text], structuredContent: { a: 1 } },
      true,
      { type: 'text', value: 'Here\n{"a":1}' },
    ],
    [
      'an image for one who sees',
      { content: [text, image] },
      true,
      {
        type: 'content',
        value: [
          { type: 'text', text: 'Here' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
        ],
      },
    ],
    [
      'an image for one who does not',
      { content: [image] },
      false,
      { type: 'text', value: '[image of type image/png, not shown to this model]' },
    ],
    [
      'audio',
      { content: [{ type: 'audio', data: '', mimeType: 'audio/wav' }] },
      true,
      { type: 'text', value: '[audio of type audio/wav, not shown to this model]' },
    ],
    [
      'an embedded text',
      { content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'inside' } }] },
      true,
      { type: 'text', value: 'inside' },
    ],
    [
      'an embedded blob',
      { content: [{ type: 'resource', resource: { uri: 'file:///a', blob: 'aGk=' } }] },
      true,
      { type: 'text', value: '[resource file:///a]' },
    ],
    [
      'a link',
      { content: [{ type: 'resource_link', uri: 'file:///b', name: 'b' }] },
      true,
      { type: 'text', value: '[resource file:///b]' },
    ],
    [
      'a broken resource',
      { content: [{ type: 'resource' }] },
      true,
      { type: 'text', value: '[resource without an address]' },
    ],
  ])('%s', (_, result, takesImages, output) => {
    expect(toToolOutput(result, takesImages)).toStrictEqual(output)
  })
})
