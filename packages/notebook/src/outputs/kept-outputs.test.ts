import { describe, expect, test } from 'vitest'
import type { Output } from '../document/nbformat.ts'
import { createKeptOutputs } from './kept-outputs.ts'

const printed = (text: string): Output[] => [{ output_type: 'stream', name: 'stdout', text }]

describe('kept outputs', () => {
  test('are found by their owner alone', () => {
    const kept = createKeptOutputs()
    const outputs = printed('hello')
    const id = kept.keep('ada', outputs) ?? ''
    expect(id).toMatch(/^[\w-]{22}$/)
    expect(kept.find('ada', id)).toBe(outputs)
    expect(kept.find('bob', id)).toBeUndefined()
    expect(kept.find('ada', 'elsewhere')).toBeUndefined()
    expect(kept.keep('ada', outputs)).not.toBe(id)
  })

  test('the oldest go first when there is no room left', () => {
    const kept = createKeptOutputs({ maxBytes: 100_000 })
    const ids = Array.from({ length: 5 }, () => kept.keep('ada', printed('x'.repeat(15_000))) ?? '')
    expect(ids.map((id) => kept.find('ada', id) !== undefined)).toEqual([false, false, true, true, true])
  })

  test('what is larger than all the room is not kept and pushes nothing out', () => {
    const kept = createKeptOutputs({ maxBytes: 100_000 })
    const id = kept.keep('ada', printed('small')) ?? ''
    expect(kept.keep('ada', printed('x'.repeat(60_000)))).toBeUndefined()
    expect(kept.find('ada', id)).toBeDefined()
  })

  test('empty outputs count too', () => {
    const kept = createKeptOutputs({ maxBytes: 100_000 })
    const ids = Array.from({ length: 1000 }, () => kept.keep('ada', []) ?? '')
    expect(ids.filter((id) => kept.find('ada', id)).length).toBeLessThan(500)
  })

  test('JSON nested as deep as a kernel likes does not exhaust the stack', () => {
    const nested = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const kept = createKeptOutputs()
    expect(
      kept.keep('ada', [{ output_type: 'display_data', data: { 'application/json': nested }, metadata: {} }]),
    ).toBeDefined()
  })
})
