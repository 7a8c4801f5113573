import { afterEach, expect, test, vi } from 'vitest'
import type { GatewayClient } from '../../gateway/gateway.ts'
import { createTestGateway } from '../gateway.fixture.ts'
import { grantSubscription } from './grant.ts'

const client: GatewayClient = { era: 'modern', principal: undefined, capabilities: {}, clientInfo: undefined }
afterEach(() => void vi.useRealTimers())

test('a subscription that is granted too late is let go of', async () => {
  vi.useFakeTimers()
  const slow = Promise.withResolvers<() => void>()
  const release = vi.fn()
  const gateway = { ...createTestGateway(), subscribe: () => slow.promise }
  const granted = expect(grantSubscription(gateway, client, 'a:1')).rejects.toThrow('within 10000 ms')
  await vi.advanceTimersByTimeAsync(10_000)
  await granted
  expect(release).not.toHaveBeenCalled()
  slow.resolve(release)
  await vi.waitFor(() => expect(release).toHaveBeenCalledOnce(), 30_000)
})

test('a refusal is passed on', async () => {
  await expect(grantSubscription(createTestGateway(), client, 'deny:1')).rejects.toMatchObject({
    code: -32602,
  })
})
