import { expect, test } from 'vitest'
import type { ComposerPrincipal } from '../../access/composer-principal.ts'
import { createSilentLogger } from '../../fixtures/silent-logger.ts'
import { toCall, toInitialize } from '../front-host.fixture.ts'
import { createTestGateway } from '../gateway.fixture.ts'
import type { RpcRequest } from '../protocol/message.ts'
import { createSession } from './session.ts'

const LINE = { send: () => true }
const ROOTS_CHANGED = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' } as const

function toRequest(message: object): RpcRequest {
  return { id: 0, method: '', ...message }
}

async function open(principal: ComposerPrincipal) {
  const gateway = createTestGateway()
  const session = createSession({ gateway, logger: createSilentLogger(), tell: () => undefined })
  await session.answer(toRequest(toInitialize('2025-11-25', { roots: {} })), principal, LINE)
  return { gateway, session }
}

test('each message is its own sender’s, whoever opened the session', async () => {
  const [high, low] = [
    { subject: 'ada', roles: ['high'] },
    { subject: 'ada', roles: ['low'] },
  ]
  const { gateway, session } = await open(high)
  const slow = session.answer(toRequest(toCall(1, 'wait')), high, LINE)
  await session.answer(toRequest(toCall(2, 'echo')), low, LINE)
  session.notified(ROOTS_CHANGED, low)
  await session.answer(toRequest(toCall(3, 'echo')), high, LINE)
  gateway.release()
  await slow
  expect(gateway.requests.map(({ client }) => client.principal)).toEqual([high, low, high])
  expect(gateway.notifications[0]?.client).toEqual({ ...gateway.requests[0]?.client, principal: low })
  session.close()
})

test('equal senders are one client to the gateway', async () => {
  const { gateway, session } = await open({ subject: 'ada', roles: ['high'] })
  const equal = { subject: 'ada', roles: ['high'] }
  const again = { ...equal, revoked: new AbortController().signal }
  await session.answer(toRequest(toCall(1, 'echo')), equal, LINE)
  session.notified(ROOTS_CHANGED, again)
  expect(gateway.notifications[0]?.client).toBe(gateway.requests[0]?.client)
  session.close()
})

test('after its end nothing is answered', async () => {
  const ada = { subject: 'ada', roles: ['high'] }
  const { gateway, session } = await open(ada)
  session.close()
  expect(await session.answer(toRequest(toCall(1, 'echo')), ada, LINE)).toBeUndefined()
  expect(gateway.requests).toHaveLength(0)
})
