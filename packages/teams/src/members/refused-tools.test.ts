import { expect, test, vi } from 'vitest'
import { answered, toolNamed } from './members.fixture.ts'
import { withRefusals } from './refused-tools.ts'

test('a refused tool answers why, from the moment on that it is refused; others are called', async () => {
  const execute = vi.fn(answered)
  const refused = new Set<string>()
  const { toolsOf } = withRefusals(
    { toolsOf: async () => ['run', 'look'].map((name) => toolNamed(name, execute)) },
    (name) => (refused.has(name) ? `${name} is refused` : undefined),
  )
  const { signal } = new AbortController()
  const [run, look] = await toolsOf({ names: [] }, signal)
  const call = { callId: 'c', signal }
  expect(await run?.execute({}, call)).toEqual(await answered())
  refused.add('run')
  expect(await run?.execute({}, call)).toEqual({
    content: [{ type: 'text', text: 'run is refused' }],
    isError: true,
  })
  expect(await look?.execute({}, call)).toEqual(await answered())
  expect(execute).toHaveBeenCalledTimes(2)
})
