import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { tapTransport } from './tap.ts'

test('a tap keeps what it wants, sees what is sent, and lets the rest pass', async () => {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const sent: JSONRPCMessage[] = []
  const received: JSONRPCMessage[] = []
  const passed: JSONRPCMessage[] = []
  const arrived: JSONRPCMessage[] = []
  const tapped = tapTransport(near, false, {
    attach: () => undefined,
    onLine: () => false,
    onMessage: (message) => received.push(message) === 1,
    onSend: (message) => sent.push(message),
  })
  let isClosed = false
  tapped.onmessage = (message) => passed.push(message)
  tapped.onclose = () => {
    isClosed = true
  }
  far.onmessage = (message) => arrived.push(message)
  await tapped.start()
  await far.start()
  const [first, second, third] = ['a', 'b', 'c'].map((method): JSONRPCMessage => ({ jsonrpc: '2.0', method }))
  if (!first || !second || !third) throw new Error('there are three')
  await far.send(first)
  await far.send(second)
  await tapped.send(third)
  expect({ received, passed, sent, arrived }).toEqual({
    received: [first, second],
    passed: [second],
    sent: [third],
    arrived: [third],
  })
  await tapped.close()
  expect(isClosed).toBe(true)
})
