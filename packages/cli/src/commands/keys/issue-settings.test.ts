import { readConfig } from '@quire/kit/config/read-config'
import { SCOPES } from '@quire/runtime/scopes'
import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import { issueSettings } from './issue-settings.ts'

describe('a key to be issued', () => {
  const settings = issueSettings(SCOPES)
  const issue = (flags: Record<string, unknown>) => readConfig(settings, { flags, env: {} })

  test('has a name, and scopes and an end where they are given', () => {
    verifies('RT-AUTH-8')
    expect(issue({ name: 'ada@example.org' })).toMatchObject({ name: 'ada@example.org' })
    const scopes = ['agents:read', 'agents:write', 'agents:prompt']
    expect(issue({ name: 'x', scope: scopes, 'expires-in-days': '90' })).toMatchObject({
      scopes,
      expiresInDays: 90,
    })
  })

  test.each<[Record<string, unknown>, string]>([
    [{}, '--name'],
    [{ name: '' }, '--name'],
    [{ name: 'a b' }, '--name'],
    [{ name: 'x'.repeat(65) }, '--name'],
    [{ name: 'x', scope: ['tools:list'] }, '--scope'],
    [{ name: 'x', 'expires-in-days': '0' }, '--expires-in-days'],
    [{ name: 'x', 'expires-in-days': 'soon' }, '--expires-in-days'],
  ])('%j is refused', (flags, setting) => {
    expect(() => issue(flags)).toThrow(setting)
  })
})
