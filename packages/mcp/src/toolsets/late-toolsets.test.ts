import { createLogger } from '@quire/kit/log'
import { expect, test } from 'vitest'
import { createLateToolsets } from './late-toolsets.ts'
import { createToolsets, type Toolsets } from './toolsets.ts'

const NONE = { names: ['a', 'b'], required: ['b'] }
const never = (): Toolsets => {
  throw new Error('started too early')
}

test('toolsets that have not been started are as good as starting', () => {
  const late = createLateToolsets({ ...NONE, open: never })
  const waiting = { ready: false, tools: [] }
  expect(late.status()).toEqual({ initialized: false, servers: { a: waiting, b: waiting } })
  expect(late.missing()).toEqual(['The toolset "b" is still starting.'])
  expect(late.tools()).toEqual([])
  expect(() => late.connection('a')).toThrow('not been started')
  expect(createLateToolsets({ ...NONE, names: [], open: never }).status().initialized).toBe(true)
})

test('they start once, and are the real ones from then on', async () => {
  let starts = 0
  const options = {
    clientInfo: { name: 'test', version: '1' },
    environment: {},
    logger: createLogger({ level: 'silent', pretty: false }),
  }
  const late = createLateToolsets({
    names: [],
    required: [],
    open() {
      starts += 1
      return createToolsets(new Map(), options)
    },
  })
  const events = collect(late.events())
  late.start()
  late.start()
  expect(starts).toBe(1)
  expect(late.status()).toEqual({ initialized: true, servers: {} })
  await late.close()
  expect(await events).toEqual([])
})

test('who waits for events of toolsets that never start is let go', async () => {
  const late = createLateToolsets({ ...NONE, open: never })
  const events = collect(late.events())
  await late.close()
  expect(await events).toEqual([])
})

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
