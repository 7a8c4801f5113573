import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { createAsker } from './link.fixture.ts'
import { progressTokenOf, type Speech, toOutgoingParams } from './outgoing-params.ts'

const OURS = { name: 'composer', version: '1' }
const LEGACY: Speech = { era: 'legacy', protocolVersion: '2025-11-25', clientInfo: OURS }
const MODERN: Speech = { era: 'modern', protocolVersion: '2026-07-28', clientInfo: OURS }
const ENVELOPE = {
  [PROTOCOL_VERSION_META_KEY]: '2099-01-01',
  [CLIENT_INFO_META_KEY]: { name: 'liar', version: '0' },
  [CLIENT_CAPABILITIES_META_KEY]: { sampling: {} },
}

describe('params on their way to a legacy server', () => {
  test('lose the words of the other era and nothing else', () => {
    const params = { name: 'a', _meta: { ...ENVELOPE, traceparent: 't', progressToken: 'theirs' } }
    expect(toOutgoingParams(params, createAsker(), 5, LEGACY)).toEqual({
      name: 'a',
      _meta: { traceparent: 't', progressToken: 5 },
    })
    expect(params._meta.progressToken).toBe('theirs')
  })

  test('have no empty words left', () => {
    expect(toOutgoingParams({ name: 'a', _meta: ENVELOPE }, createAsker(), undefined, LEGACY)).toEqual({
      name: 'a',
    })
    expect(toOutgoingParams({ name: 'a' }, createAsker(), undefined, LEGACY)).toEqual({ name: 'a' })
  })
})

describe('params on their way to a modern server', () => {
  test('say who asks, whatever the asker itself has put there', () => {
    const asker = createAsker({ capabilities: { roots: {} }, clientInfo: { name: 'ada', version: '2' } })
    expect(
      toOutgoingParams({ name: 'a', _meta: { ...ENVELOPE, traceparent: 't' } }, asker, undefined, MODERN),
    ).toEqual({
      name: 'a',
      _meta: {
        traceparent: 't',
        [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
        [CLIENT_INFO_META_KEY]: { name: 'ada', version: '2' },
        [CLIENT_CAPABILITIES_META_KEY]: { roots: {} },
      },
    })
  })

  test('give our name for an asker without one', () => {
    const { _meta } = toOutgoingParams({}, createAsker(), 9, MODERN)
    expect(_meta).toMatchObject({ [CLIENT_INFO_META_KEY]: OURS, progressToken: 9 })
  })
})

test.each([
  [{ _meta: { progressToken: 'a' } }, 'a'],
  [{ _meta: { progressToken: 0 } }, 0],
  [{ _meta: { progressToken: { a: 1 } } }, undefined],
  [{ _meta: 'x' }, undefined],
  [{}, undefined],
])('the progress token of %j', (params, expected) => {
  expect(progressTokenOf(params)).toBe(expected)
})
