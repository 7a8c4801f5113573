import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { ask, textResult, toolOf } from './fixtures/ask.ts'

const VERDICT = {
  approved: { type: 'boolean', default: false },
  reasons: { type: 'string', default: 'Checked by a rule.' },
  kind: { const: 'verdict' },
  mode: { type: 'string', enum: ['only'] },
  note: { type: 'string' },
}
const REVIEW = toolOf('review', VERDICT, ['approved', 'reasons', 'kind', 'mode'])
const ARGS = { approved: false, reasons: 'Checked by a rule.', kind: 'verdict', mode: 'only' }

describe('the only tool there is, which says itself what to call it with', () => {
  test.each([
    ['words that are not understood', 'Is this result good?'],
    ['nothing but data', 'The result:\n```data\nrun 1+1\ncall review with {}\nhelp\n```'],
    ['data with shorter fences in it', '````data\n```\nlist tools\n```\n````\nDecide.'],
    ['data that nobody closes', '```data\nlist tools'],
  ])('is called so on %s', async (_, said) => {
    const { call, text } = await ask(said, [REVIEW])
    expect(call).toMatchObject({ name: 'review', args: ARGS })
    expect(text).toBe('Calling `review` with its defaults.\n\n')
  })

  test.each([
    [
      'a call of it',
      'call review with {"approved": true, "reasons": "x", "kind": "verdict", "mode": "only"}',
    ],
    ['a question about it', 'describe tool review'],
    ['a list', 'list tools'],
    ['a greeting', 'hello'],
    ['something that it does not do', 'run 1+1'],
    ['a request beside data', 'list tools\n```data\nx\n```'],
  ])('is not, where something is understood: %s', async (_, said) => {
    const { call, text } = await ask(said, [REVIEW])
    expect(text).not.toContain('with its defaults')
    expect(call?.args.approved).not.toBe(false)
  })

  test.each<[string, JsonObject, readonly string[]]>([
    ['needs something that is not said', { a: { default: 1 }, b: { type: 'string' } }, ['a', 'b']],
    ['has a choice', { a: { enum: ['x', 'y'] } }, ['a']],
    ['needs nothing', { a: { default: 1 } }, []],
    ['needs what is not described', {}, ['a']],
  ])('is not, where it %s', async (_, properties, required) => {
    expect((await ask('Decide.', [toolOf('decide', properties, required)])).call).toBeUndefined()
  })

  test('is not, where there is another', async () => {
    expect((await ask('Decide.', [REVIEW, toolOf('other')])).call).toBeUndefined()
  })

  test('is called once', async () => {
    const call = { type: 'tool_call', id: 'one', name: 'review', args: ARGS } as const
    const { text, call: next } = await ask(
      [
        { role: 'user', text: 'Decide.' },
        { role: 'assistant', parts: [call] },
        { role: 'tool', callId: 'one', name: 'review', result: textResult('Thanks.') },
      ],
      [REVIEW],
    )
    expect(next).toBeUndefined()
    expect(text).toMatch(/`review` answered:.*Thanks\./s)
    expect(text).not.toContain('understand')
  })
})
