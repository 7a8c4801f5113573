import type { ModelRequest } from '@quire/agent/model'
import { expect, test } from 'vitest'
import { createGatedModel } from './gated-model.ts'

const MODEL = { id: 'test:a', contextWindow: 7, cost: () => 3 }

test('the model is not asked where the abort came while the gate was', async () => {
  const control = new AbortController()
  const asked: ModelRequest[] = []
  const model = {
    ...MODEL,
    async *stream(request: ModelRequest) {
      asked.push(request)
      yield { type: 'text', text: 'Hm.' } as const
    },
  }
  const gated = createGatedModel(model, { check: async () => control.abort(new Error('stopped')) })
  const events = gated.model.stream({ messages: [], tools: [], signal: control.signal })
  await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow('stopped')
  expect(asked).toEqual([])
  expect(gated.refusal()).toBeUndefined()
})

test('a gate that lets the next request pass has refused nothing', async () => {
  const model = {
    ...MODEL,
    async *stream() {
      yield { type: 'text', text: 'Hm.' } as const
    },
  }
  const away = new Error('The database is away.')
  let isAway = true
  const gated = createGatedModel(model, {
    check: async () => {
      if (isAway) throw away
    },
  })
  const request = { messages: [], tools: [], signal: new AbortController().signal }
  await expect(gated.model.stream(request)[Symbol.asyncIterator]().next()).rejects.toBe(away)
  expect(gated.refusal()).toEqual({ error: away })
  isAway = false
  await gated.model.stream(request)[Symbol.asyncIterator]().next()
  expect(gated.refusal()).toBeUndefined()
})

test('it is the model in all else', () => {
  const model = { ...MODEL, async *stream() {} }
  const gated = createGatedModel(model, { check: async () => undefined })
  expect(gated.model).toMatchObject({ id: 'test:a', contextWindow: 7 })
  expect(gated.model.cost({ promptTokens: 1, completionTokens: 1 })).toBe(3)
})
