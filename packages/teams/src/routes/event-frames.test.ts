import { expect, test } from 'vitest'
import type { TeamEvent } from '../teams.ts'
import { createEventFrames } from './event-frames.ts'

test('an event is put into JSON once, however many read it', () => {
  const toFrame = createEventFrames()
  let looks = 0
  const data = {
    get task_id() {
      looks += 1
      return 't'
    },
  }
  const event: TeamEvent = { type: 'task_created', stream: 'a', seq: 7, at: '2026-11-15T14:00:00.000Z', data }
  const frames = Array.from({ length: 5 }, () => toFrame(event))
  expect(looks).toBe(1)
  expect(new Set(frames).size).toBe(1)
  expect(frames[0]).toEqual({
    id: 7,
    event: 'task_created',
    data: '{"event_type":"task_created","team_id":"a","timestamp":"2026-11-15T14:00:00.000Z","seq":7,"data":{"task_id":"t"}}',
  })
})
