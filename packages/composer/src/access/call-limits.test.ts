import { anonymous } from '@quire/kit/auth/principal'
import { CallerError } from '@quire/kit/errors'
import { expect, test } from 'vitest'
import type { AuthorizationSettings } from '../config/config.ts'
import { createCallLimits } from './call-limits.ts'

const settings: AuthorizationSettings = {
  enabled: true,
  roles: [],
  rateLimit: {
    perMinute: 2,
    perRole: { fast: 4, slow: 1, 'sp"ä\r\n': 3, ...JSON.parse('{"__proto__": 5}') },
  },
}
const ada = { subject: 'ada', roles: ['plain'] }

async function allowedCalls(roles: readonly string[]): Promise<number> {
  const limits = createCallLimits(settings)
  for (let count = 0; ; count += 1) {
    const answer = await limits
      .admit({ subject: 'ada', roles } as typeof ada)
      .catch((error: unknown) => error)
    if (answer instanceof CallerError) return count
  }
}

test.each([
  [['plain'], 2],
  [['fast'], 4],
  [['slow'], 1],
  [['slow', 'fast'], 4],
  [['slow', 'plain'], 1],
  [['sp"ä\r\n'], 3],
  [['constructor'], 2],
  [['__proto__'], 5],
])('with the roles %j there are %i calls a minute', async (roles, expected) => {
  expect(await allowedCalls(roles)).toBe(expected)
})

test('one caller does not use up what another has, and a minute later all is new', async () => {
  let now = 0
  const limits = createCallLimits(settings, { now: () => now })
  const headers = await limits.admit(ada)
  expect(headers).toEqual({ 'ratelimit-policy': '"tool-calls";q=2;w=60', ratelimit: '"tool-calls";r=1;t=60' })
  await limits.admit(ada)
  now = 15_000
  const refusal = await limits.admit(ada).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(CallerError)
  expect(refusal).toMatchObject({
    message: 'Too many tool calls: 2 a minute are allowed. Try again in 45 s.',
    problem: { status: 429, code: 'RATE_LIMITED' },
    headers: { 'retry-after': '45' },
  })
  await limits.admit({ ...ada, subject: 'bob' })
  await limits.admit(anonymous)
  await limits.admit(undefined)
  now = 60_000
  await limits.admit(ada)
})

test.each([
  ['authorization is off', { ...settings, enabled: false }],
  ['no limit is configured', { ...settings, rateLimit: undefined }],
])('nobody is limited when %s', async (_what, unlimited) => {
  const limits = createCallLimits(unlimited)
  for (let count = 0; count < 10; count += 1) expect(await limits.admit(ada)).toEqual({})
})
