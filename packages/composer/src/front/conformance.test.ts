import { runConformance } from '@quire/testbed/foreign-clients'
import { afterAll, expect, test } from 'vitest'
import { hostFront } from './front-host.fixture.ts'

const host = await hostFront()
afterAll(() => host.close())

test.each([
  ['2025-11-25', 'server-initialize'],
  ['2025-11-25', 'server-session-lifecycle'],
  ['2025-11-25', 'server-sse-polling'],
  ['2026-07-28', 'http-header-validation'],
  ['2026-07-28', 'server-stateless'],
])('the conformance suite of %s passes %s', async (revision, scenario) => {
  const { passed, failed, output } = await runConformance(host.url, { revision, scenario })
  expect({ passed, failed }, output).toStrictEqual({ passed: [scenario], failed: [] })
})
