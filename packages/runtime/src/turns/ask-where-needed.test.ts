import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  AGENT,
  calls,
  collect,
  ends,
  says,
  startProcess,
  type TestProcess,
  toolNamed,
  typesOf,
} from './turns.fixture.ts'

const ran = vi.fn<(name: string) => void>()
const asked = new Set<string>()
let one: TestProcess

function tool(name: string, does: () => void = () => undefined) {
  return toolNamed(name, async () => {
    ran(name)
    does()
    return { content: [{ type: 'text', text: 'done' }] }
  })
}

beforeEach(async () => {
  ran.mockClear()
  asked.clear()
  asked.add('run')
  one = await startProcess('sqlite::memory:', {
    needsPerson: (name) => asked.has(name),
    toolList: [tool('run'), tool('look'), tool('leave', () => asked.add('look'))],
    script({ messages }) {
      const [prompt] = messages.flatMap((message) => (message.role === 'user' ? [message.text] : []))
      const made = messages.filter(({ role }) => role === 'tool').length
      const wanted = prompt?.split(' ')[made]
      return wanted === undefined ? [says('Done.'), ends()] : [calls(`c${made}`, wanted), ends()]
    },
  })
})
afterEach(() => one.stop())

test.each([
  ['run', AGENT.id, true],
  ['look', AGENT.id, false],
  ['look', 'careful', true],
])('a call of "%s" by the agent "%s" waits for a person: %s', async (name, agent, isAsked) => {
  const turn = await one.prompt(name, undefined, agent)
  expect(typesOf(await collect(turn)).includes('approval_request')).toBe(isAsked)
  expect(ran.mock.calls).toEqual(isAsked ? [] : [[name]])
})

test('a tool that comes to need a person in the middle of a turn is not called in it, and the model is told', async () => {
  const frames = await collect(await one.prompt('look leave look'))
  expect(ran.mock.calls).toEqual([['look'], ['leave']])
  expect(JSON.stringify(frames)).toContain('need the decision of a person')
})
