import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import { createTestClock, serve } from './models.fixture.ts'

const guard = { fetch, title: 'The server', clock: systemClock }

test('a server that takes the request and says nothing is given up', async () => {
  const url = await serve(() => undefined)
  await expect(createGuardedFetch({ ...guard, idleMs: 50 })(url)).rejects.toMatchObject({
    fault: 'unavailable',
  })
})

test('the wait for each byte begins anew, the reader may take its time, and the end ends it', async () => {
  const gate = Promise.withResolvers<void>()
  const url = await serve(async (_, response) => {
    response.write('first')
    await gate.promise
    response.end('last')
  })
  const clock = createTestClock()
  const response = await createGuardedFetch({ ...guard, clock, idleMs: 1_000 })(url)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toBe('first')
  const reading = reader?.read()
  gate.resolve()
  expect((await reading)?.value).toBe('last')
  expect(clock.refreshes(1_000)).toBeGreaterThan(1)
  expect((await reader?.read())?.done).toBe(true)
  expect(clock.running()).toBe(0)
})

test('a reader that takes its time is no silence of the provider', async () => {
  const url = await serve((_, response) => response.end('all of it'))
  const clock = createTestClock()
  const response = await createGuardedFetch({ ...guard, clock, idleMs: 1_000 })(url)
  clock.expire(1_000)
  expect(await response.text()).toBe('all of it')
})

test('the status, the headers and an empty body go through', async () => {
  const url = await serve((_, response) => response.writeHead(204, { 'x-a': '1' }).end())
  const response = await createGuardedFetch({ ...guard, idleMs: 5_000 })(url)
  expect(response).toMatchObject({ status: 204, body: null })
  expect(response.headers.get('x-a')).toBe('1')
})

test('an error body without end is cut off', async () => {
  const url = await serve((_, response) => {
    response.writeHead(500)
    const more = () => response.write(Buffer.alloc(256 * 1024, 'x'), () => response.destroyed || more())
    more()
  })
  const response = await createGuardedFetch({ ...guard, idleMs: 5_000 })(url)
  await expect(response.text()).rejects.toMatchObject({ fault: 'garbled' })
})

test.each<[string, string, (answer: Promise<Response>) => Promise<unknown>]>([
  ['a reader that leaves', '', async (answer) => (await answer).body?.cancel()],
  ['a server that is not there', 'http://127.0.0.1:1/', (answer) => answer.catch(() => 'refused')],
])('%s leaves no timer', async (_, other, use) => {
  const url = await serve((_request, response) => response.write('begun'))
  const clock = createTestClock()
  await use(createGuardedFetch({ ...guard, clock, idleMs: 1_000 })(other || url))
  expect(clock.running()).toBe(0)
})
