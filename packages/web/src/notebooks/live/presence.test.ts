import { afterEach, expect, test, vi } from 'vitest'
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { createPresence } from './presence.ts'

const awareness = new Awareness(new Y.Doc())
const presence = createPresence({ awareness, name: 'Ada' })

afterEach(() => {
  presence.close()
  awareness.destroy()
})

test('of a crowd some are shown, with ourselves, and it is told of at once and not one by one', async () => {
  const tell = vi.fn()
  presence.subscribe(tell)
  for (let count = 0; count < 200; count += 1) {
    const other = new Awareness(new Y.Doc())
    other.setLocalState({ user: { name: `Guest ${count}` } })
    applyAwarenessUpdate(awareness, encodeAwarenessUpdate(other, [other.clientID]), 'test')
    other.destroy()
  }
  expect(tell).not.toHaveBeenCalled()
  await expect.poll(() => presence.total()).toBe(201)
  expect(tell.mock.calls.length).toBeLessThan(10)
  expect(presence.people()).toHaveLength(50)
  expect(presence.people()[0]).toMatchObject({ name: 'Ada', isSelf: true })
  expect(presence.people()).toBe(presence.people())
})
