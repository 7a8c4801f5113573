import { describe, expect, test } from 'vitest'
import type { ToolDeclaration } from '../model/model.ts'
import { answer, scriptedModel, user } from '../run/script.fixture.ts'
import type { ToolResult } from '../tool.ts'
import { type CompactionRequest, createCompaction } from './compaction.ts'
import { modelOf, requestOf, summarized, tokens, turn } from './turns.fixture.ts'

const { compact } = createCompaction()

describe('a conversation that fits', () => {
  test('is left alone', async () => {
    const model = modelOf()
    expect(await compact(requestOf(model, turn('a', 7_000)))).toBeUndefined()
    expect(await compact(requestOf(model, []))).toBeUndefined()
    expect(model.requests).toHaveLength(0)
  })

  test('is measured with its system prompt, its tools and its last known usage', async () => {
    const messages = [...turn('a', 5_000), ...turn('b', 100)]
    const tool: ToolDeclaration = {
      name: 'read',
      description: tokens(1_500),
      inputSchema: { type: 'object', description: tokens(1_500) },
    }
    const model = modelOf()
    const cases: [Partial<CompactionRequest>, boolean][] = [
      [{}, false],
      [{ system: tokens(3_000) }, true],
      [{ tools: [tool] }, true],
      [{ last: { messages, promptTokens: 10_000 } }, true],
      [{ last: { messages, promptTokens: 2_000 }, system: tokens(3_000) }, false],
      [{ target: 0.3 }, true],
      [{ isTooLong: true }, true],
    ]
    for (const [more, isCompacted] of cases) {
      expect([more, (await compact(requestOf(model, messages, more))) !== undefined]).toEqual([
        more,
        isCompacted,
      ])
    }
  })

  test('is measured with what tools answered, however they did', async () => {
    const half = tokens(4_500)
    const structuredContent = { all: half }
    const image = { type: 'image', data: half, mimeType: 'image/png' } as const
    const cases: [ToolResult, boolean][] = [
      [answer(half), false],
      [{ ...answer(half), structuredContent }, true],
      [{ ...answer(JSON.stringify(structuredContent)), structuredContent }, false],
      [
        {
          content: [
            { type: 'text', text: half },
            { type: 'resource', resource: { text: half } },
          ],
        },
        true,
      ],
      [{ content: [image, image, image] }, false],
      [{ content: Array.from({ length: 6 }, () => image) }, true],
    ]
    for (const [result, isCompacted] of cases) {
      const messages = [
        ...turn('a', 0, 10).with(2, { role: 'tool', callId: 'a', name: 'read', result }),
        user('Go on.'),
      ]
      const { length } = JSON.stringify(result)
      expect([length, (await compact(requestOf(modelOf(), messages))) !== undefined]).toEqual([
        length,
        isCompacted,
      ])
    }
  })

  test("is measured against a window of 128,000 tokens where nobody knows the model's", async () => {
    const model = scriptedModel(summarized)
    expect(await compact(requestOf(model, [...turn('a', 90_000), ...turn('b', 1_000)]))).toBeUndefined()
    expect(await compact(requestOf(model, [...turn('a', 102_000), ...turn('b', 1_000)]))).toBeDefined()
  })
})
