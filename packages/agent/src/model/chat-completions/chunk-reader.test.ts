import { describe, expect, test } from 'vitest'
import type { ModelEvent } from '../model.ts'
import { createChunkReader } from './chunk-reader.ts'
import { Nonsense } from './nonsense.ts'

class Told extends Error {}

function read(...chunks: readonly unknown[]): ModelEvent[] {
  const events: ModelEvent[] = []
  const reader = createChunkReader(
    (event) => void events.push(event),
    (error) => new Told(JSON.stringify(error)),
  )
  for (const chunk of chunks) reader.take(chunk)
  reader.end()
  return events
}

function delta(content: unknown, rest = {}): object {
  return { choices: [{ index: 0, delta: content, ...rest }] }
}

function calls(...fragments: readonly unknown[]): object {
  return delta({ tool_calls: fragments })
}

function callsOf(events: readonly ModelEvent[]) {
  return events.filter((event) => event.type === 'tool_call')
}

const STOP = delta({}, { finish_reason: 'stop' })

describe('what is said', () => {
  test.each<[string, object, readonly object[]]>([
    ['a text', delta({ content: 'a' }), [{ type: 'text', text: 'a' }]],
    ['a whole message', { choices: [{ message: { content: 'a' } }] }, [{ type: 'text', text: 'a' }]],
    ['a thought', delta({ reasoning_content: 'a' }), [{ type: 'reasoning', text: 'a' }]],
    ['a thought by its other name', delta({ reasoning: 'a' }), [{ type: 'reasoning', text: 'a' }]],
    [
      'a thought by both',
      delta({ reasoning_content: '', reasoning: 'a' }),
      [{ type: 'reasoning', text: 'a' }],
    ],
    [
      'parts',
      delta({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'a' }, 7] },
          { type: 'text', text: 'b' },
          { type: 'x' },
        ],
      }),
      [
        { type: 'reasoning', text: 'a' },
        { type: 'part_end', part: 'reasoning' },
        { type: 'text', text: 'b' },
      ],
    ],
    ['nothing', delta({ role: 'assistant', content: '', refusal: false }), []],
    ['nulls', delta({ content: null, reasoning_content: null, tool_calls: null, refusal: null }), []],
    ['no delta', { choices: [{ delta: null }] }, []],
    ['no choice', { choices: [] }, []],
  ])('%s', (_, chunk, expected) => {
    const events = read(chunk, STOP)
    const said = events.slice(0, expected.length)
    expect(said).toStrictEqual(expected)
    const rest = events.slice(expected.length).map(({ type }) => type)
    expect(rest).toStrictEqual(expected.length > 0 ? ['part_end', 'finish'] : ['finish'])
  })

  test('a thought, words and calls come in this order, each part with its end', () => {
    const events = read(
      delta({ reasoning: 'hm' }),
      delta({ content: 'so', reasoning: '!' }),
      calls({ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }),
      STOP,
    )
    expect(events.map((event) => ('part' in event ? `end of ${event.part}` : event.type))).toStrictEqual([
      'reasoning',
      'reasoning',
      'end of reasoning',
      'text',
      'end of text',
      'tool_call',
      'finish',
    ])
  })
})

describe('why it ends', () => {
  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'filtered'],
    ['tool_calls', 'tool_calls'],
    ['function_call', 'tool_calls'],
    ['eos', 'other'],
    ['__proto__', 'other'],
  ])('%s is %s', (finish_reason, reason) => {
    expect(read(delta({}, { finish_reason })).at(-1)).toMatchObject({ type: 'finish', reason })
  })

  test('a stop after a refusal is none, nor is one after calls', () => {
    expect(read(delta({ refusal: 'no' }, { finish_reason: 'stop' })).at(-1)).toMatchObject({
      reason: 'filtered',
    })
    expect(read(calls({ function: { name: 'f' } }), STOP).at(-1)).toMatchObject({ reason: 'tool_calls' })
  })
})

describe('the tokens', () => {
  const NONE = { promptTokens: 0, completionTokens: 0 }
  test.each<[string, unknown, object]>([
    ['plain', { prompt_tokens: 3, completion_tokens: 2 }, { promptTokens: 3, completionTokens: 2 }],
    [
      'with their details',
      {
        prompt_tokens: 3,
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: 1 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
      { promptTokens: 3, completionTokens: 2, cacheReadTokens: 1, reasoningTokens: 2 },
    ],
    [
      'of noughts and nulls',
      { prompt_tokens: null, prompt_tokens_details: null, completion_tokens_details: {} },
      NONE,
    ],
    ['of a wrong kind', { prompt_tokens: '3', completion_tokens: {}, prompt_tokens_details: [] }, NONE],
    ['of no sense', { prompt_tokens: -3, completion_tokens: 1e300 }, NONE],
    ['that are none', null, NONE],
  ])('%s', (_, usage, expected) => {
    expect(read(STOP, { choices: [], usage }).at(-1)).toMatchObject({ usage: expected })
  })

  test('come without choices too, or with the last', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2 }
    const expected = { usage: { promptTokens: 3, completionTokens: 2 } }
    expect(read(STOP, { usage }).at(-1)).toMatchObject(expected)
    expect(read({ ...STOP, usage }).at(-1)).toMatchObject(expected)
  })
})

describe('calls', () => {
  const ONE = { id: 'a', name: 'f', argsText: '{"x":1}' }
  const TWO = { id: 'b', name: 'g', argsText: '{}' }
  test.each<[string, readonly object[], readonly object[]]>([
    [
      'by their index, in turns',
      [
        calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }),
        calls({ index: 1, id: 'b', function: { name: 'g' } }),
        calls({ index: 1, function: { arguments: '{}' } }, { index: 0, function: { arguments: '{"x"' } }),
        calls({ index: 0, function: { arguments: ':1}' } }),
      ],
      [ONE, TWO],
    ],
    [
      'without an index',
      [
        calls({ id: 'a', function: { name: 'f', arguments: '{"x"' } }),
        calls({ function: { arguments: ':1}' } }),
        calls({ id: 'b', function: { name: 'g', arguments: '{}' } }),
      ],
      [ONE, TWO],
    ],
    [
      'without an index, by their ids in turns',
      [
        calls({ id: 'a', function: { name: 'f' } }, { id: 'b', function: { name: 'g' } }),
        calls({ id: 'a', function: { arguments: '{"x":1}' } }),
        calls({ id: 'b', function: { arguments: '{}' } }),
      ],
      [ONE, TWO],
    ],
    [
      'all with the same index',
      [
        calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }),
        calls({ index: 0, id: 'b', function: { name: 'g', arguments: '{}' } }),
      ],
      [ONE, TWO],
    ],
    [
      'with a new id for each fragment',
      [
        calls({ index: 0, id: 'a', function: { name: 'f' } }),
        calls({ index: 0, id: 'r', function: { arguments: '{"x"' } }),
        calls({ index: 0, id: 's', function: { arguments: ':1}' } }),
      ],
      [ONE],
    ],
    [
      'with the name and id again in each fragment',
      [
        calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }),
        calls({ index: 0, id: 'a', function: { name: 'f', arguments: ':1}' } }),
      ],
      [ONE],
    ],
    [
      'with a name that comes late',
      [
        calls({ index: 0, id: 'a', function: { arguments: '{"x"' } }),
        calls({ index: 0, function: { name: 'f', arguments: ':1}' } }),
      ],
      [ONE],
    ],
    [
      'with arguments that are an object',
      [calls({ id: 'a', function: { name: 'f', arguments: { x: 1 } } })],
      [ONE],
    ],
    [
      'whole, in a message',
      [
        {
          choices: [
            { message: { tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{"x":1}' } }] } },
          ],
        },
      ],
      [ONE],
    ],
  ])('%s', (_, chunks, expected) => {
    expect(callsOf(read(...chunks, STOP))).toStrictEqual(
      expected.map((call) => ({ type: 'tool_call', ...call })),
    )
  })

  test('without ids get some, each its own', () => {
    const found = callsOf(read(calls({ function: { name: 'f' } }, { function: { name: 'f' } }), STOP))
    expect(new Set(found.map(({ id }) => id)).size).toBe(2)
    expect(found.every(({ id }) => id !== '')).toBe(true)
  })

  test('keep the signature that Gemini wants back', () => {
    const extra_content = { google: { thought_signature: 'sig' } }
    expect(callsOf(read(calls({ id: 'a', function: { name: 'f' }, extra_content }), STOP))).toMatchObject([
      { metadata: { google: { thoughtSignature: 'sig' } } },
    ])
  })
})

test.each<[string, unknown]>([
  ['no object', 7],
  ['null', null],
  ['a list', []],
  ['a text', 'data'],
  ['no choices', { id: 'x' }],
  ['choices that are no list', { choices: {} }],
  ['choices that are a text', { choices: 'a' }],
  ['a choice that is no object', { choices: [7] }],
  ['a choice that is null', { choices: [null] }],
  ['a delta that is a text', delta('a')],
  ['a delta that is a list', delta([])],
  ['content that is a number', delta({ content: 7 })],
  ['content that is an object', delta({ content: { text: 'a' } })],
  ['a part that is no object', delta({ content: ['a'] })],
  ['a part with a text that is none', delta({ content: [{ type: 'text', text: {} }] })],
  ['a thought that is an object', delta({ reasoning_content: {} })],
  ['calls that are no list', delta({ tool_calls: { 0: {} } })],
  ['a call that is no object', calls('f')],
  ['a function that is no object', calls({ function: 'f' })],
  ['a name that is no text', calls({ function: { name: { toString: 'f' } } })],
  ['an id that is no text', calls({ id: 7, function: { name: 'f' } })],
  ['arguments that are a number', calls({ function: { name: 'f', arguments: 7 } })],
  ['arguments that are a list', calls({ function: { name: 'f', arguments: [] } })],
  ['a call without a name', calls({ index: 0, id: 'a', function: { arguments: '{}' } })],
  ['a call without a function', calls({ index: 0 })],
  ['calls without end', calls(...Array.from({ length: 300 }, (_, index) => ({ index, id: `c${index}` })))],
])('%s makes no sense', (_, chunk) => {
  expect(() => read(chunk, STOP)).toThrow(Nonsense)
})

test.each<[string, unknown]>([
  ['an object', { error: { message: 'no' } }],
  ['a text', { error: 'no' }],
  ['beside choices', { ...STOP, error: { message: 'no' } }],
  ['as vLLM has it', { object: 'error', message: 'no', code: 400 }],
])('an error that is told, %s, is handed on', (_, chunk) => {
  expect(() => read(chunk)).toThrow(Told)
})

test('keys of a prototype are nothing', () => {
  const chunk = JSON.parse('{"__proto__":{"error":"x"},"choices":[{"delta":{"__proto__":{"content":"a"}}}]}')
  expect(read(chunk, STOP).map(({ type }) => type)).toStrictEqual(['finish'])
  expect(Object.keys(Object.prototype)).toStrictEqual([])
})
