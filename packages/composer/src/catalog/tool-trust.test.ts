import type { Tool } from '@modelcontextprotocol/client'
import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import { createComposedCatalog } from './create-composed-catalog.ts'
import { define, offer, settings, tool } from './offers.fixture.ts'
import { createPins } from './pins.ts'
import type { ToolChange } from './tool-trust.ts'

describe('trust', () => {
  const changed = (description: string) => offer({ tools: [tool('a', description), tool('b')] })

  function watched(pin: boolean) {
    const changes: ToolChange[] = []
    const pins = createPins()
    const build = () => {
      const made = createComposedCatalog({ pins, onToolChanged: (change) => changes.push(change) })
      made.configure(settings({ aliases: { alias: 'one:a' } }), [define('one', { pin })])
      return made
    }
    return { changes, pins, build, catalog: build() }
  }

  test('a definition that changes is told of, once for each, and goes on', () => {
    verifies('CO-PIN-1')
    const { catalog, changes } = watched(false)
    catalog.update('one', changed('first'))
    catalog.update('one', changed('first'))
    expect(changes).toEqual([])
    catalog.update('one', changed('second'))
    catalog.update('one', undefined)
    catalog.update('one', changed('second'))
    expect(changes).toEqual([{ id: 'one:a', server: 'one', pinned: false }])
    expect(catalog.findTool('one:a')?.trust).toBe('changed')
    expect(catalog.findTool('one:b')?.trust).toBe('known')
    expect(catalog.tools().map(({ name }) => name)).toEqual(['one__a', 'one__b', 'alias'])
    catalog.update('one', changed('third'))
    expect(changes).toHaveLength(2)
    catalog.update('one', changed('first'))
    expect(catalog.findTool('one:a')?.trust).toBe('known')
    expect(changes).toHaveLength(2)
  })

  test('of a pinned server it is blocked, whatever its name, until somebody approves it', () => {
    verifies('CO-PIN-2')
    const { catalog, changes } = watched(true)
    catalog.update('one', changed('first'))
    const seen = catalog.findTool('one:a')?.hash ?? ''
    catalog.update('one', changed('second'))
    const approved = catalog.findTool('one:a')?.hash ?? ''
    expect(changes).toEqual([{ id: 'one:a', server: 'one', pinned: true }])
    expect(catalog.tools().map(({ name }) => name)).toEqual(['one__b'])
    for (const name of ['one:a', 'one__a', 'alias']) expect(catalog.findTool(name)?.trust).toBe('blocked')
    expect(catalog.search({ limit: 10, offset: 0 }).tools.map(({ trust }) => trust)).toEqual([
      'blocked',
      'known',
    ])
    expect(catalog.approve('one:nothing', approved)).toBe(false)
    for (const stale of ['', seen, `${approved} `, approved.toUpperCase()])
      expect(catalog.approve('one:a', stale)).toBe(false)
    expect(catalog.findTool('one:a')?.trust).toBe('blocked')
    expect(catalog.approve('one:a', approved)).toBe(true)
    expect(catalog.tools().map(({ name }) => name)).toEqual(['one__a', 'one__b', 'alias'])
    catalog.update('one', changed('first'))
    expect(catalog.findTool('one:a')?.trust).toBe('blocked')
    expect(changes).toHaveLength(2)
  })

  test('a new tool of a pinned server is taken at first sight', () => {
    const { catalog } = watched(true)
    catalog.update('one', changed('first'))
    catalog.update('one', offer({ tools: [tool('a', 'first'), tool('new')] }))
    expect(catalog.tools().map(({ trust }) => trust)).toEqual(['known', 'known', 'known'])
  })

  test('a server that is not pinned cannot switch off the pins of others, whatever it offers', () => {
    const pins = createPins({ maxPins: 100, maxOfServer: 20 })
    const catalog = createComposedCatalog({ pins })
    const floods = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6']
    catalog.configure(settings(), [...floods.map((name) => define(name)), define('one', { pin: true })])
    for (let round = 0; round < 10; round += 1)
      for (const flood of floods)
        catalog.update(
          flood,
          offer({ tools: Array.from({ length: 30 }, (_, index) => tool(`${round}_${index}`)) }),
        )
    catalog.update('one', changed('first'))
    catalog.update('one', changed('second'))
    expect(catalog.findTool('one:a')?.trust).toBe('blocked')
    expect(catalog.findTool('one:b')?.trust).toBe('known')
  })

  test('a tool of a pinned server that cannot be remembered is blocked, and can be approved', () => {
    const pins = createPins({ maxOfServer: 2 })
    const catalog = createComposedCatalog({ pins })
    catalog.configure(settings(), [define('one', { pin: true })])
    const tools = ['a', 'b', 'c', 'd'].map((name) => tool(name))
    const trusts = () => ['a', 'b', 'c', 'd'].map((name) => catalog.findTool(`one:${name}`)?.trust)
    catalog.update('one', offer({ tools }))
    catalog.update('one', offer({ tools }))
    expect(trusts()).toEqual(['known', 'known', 'blocked', 'blocked'])
    expect(catalog.tools().map(({ id }) => id)).toEqual(['one:a', 'one:b'])
    expect(catalog.approve('one:d', catalog.findTool('one:d')?.hash ?? '')).toBe(true)
    // The oldest made room, and is no better off than the others that there is none for.
    expect(trusts()).toEqual(['blocked', 'known', 'blocked', 'known'])
    expect(catalog.findTool('one:c')).toMatchObject({ block: 'unremembered' })
  })

  test.each([
    [true, 'blocked'],
    [false, 'changed'],
  ] as const)('a changed tool shows the definition that was approved (pin: %s)', (pin, trust) => {
    const { catalog, build } = watched(pin)
    catalog.update('one', changed('first'))
    expect(catalog.findTool('one:a')).not.toHaveProperty('approved')
    catalog.update('one', changed('second'))
    for (const name of ['one:a', 'alias']) {
      expect(catalog.findTool(name)).toMatchObject({
        trust,
        approved: tool('a', 'first'),
        item: tool('a', 'second'),
      })
    }
    catalog.approve('one:a', catalog.findTool('one:a')?.hash ?? '')
    expect(catalog.findTool('one:a')).not.toHaveProperty('approved')
    const later = build()
    later.update('one', changed('third'))
    expect(later.findTool('one:a')).toMatchObject({ trust, approved: tool('a', 'second') })
  })

  test('what was pinned before definitions were kept is shown once it was seen again', () => {
    const { catalog, pins } = watched(true)
    catalog.update('one', changed('first'))
    const old = createPins({ known: [...pins.entries()].map(([id, { hash }]) => [id, hash]) })
    const later = createComposedCatalog({ pins: old })
    later.configure(settings(), [define('one', { pin: true })])
    later.update('one', changed('second'))
    expect(later.findTool('one:a')).toMatchObject({ trust: 'blocked', block: 'changed' })
    expect(later.findTool('one:a')).not.toHaveProperty('approved')
    later.update('one', changed('first'))
    later.update('one', changed('second'))
    expect(later.findTool('one:a')).toMatchObject({ trust: 'blocked', approved: tool('a', 'first') })
  })

  test('what was seen is remembered beyond the catalog, and pinning can come later', () => {
    const { catalog, build } = watched(false)
    catalog.update('one', changed('first'))
    const later = build()
    later.update('one', changed('second'))
    expect(later.findTool('one:a')?.trust).toBe('changed')
    later.configure(settings(), [define('one', { pin: true })])
    expect(later.findTool('one:a')?.trust).toBe('blocked')
    later.configure(settings(), [define('one')])
    expect(later.findTool('one:a')?.trust).toBe('changed')
  })

  test.each<[string, (from: Tool) => Tool]>([
    ['its schema', (from) => ({ ...from, inputSchema: { type: 'object', properties: { x: {} } } })],
    ['its title', (from) => ({ ...from, title: 'T' })],
    ['its annotations', (from) => ({ ...from, annotations: { readOnlyHint: true } })],
    ['its output', (from) => ({ ...from, outputSchema: { type: 'object' } })],
    ['what nobody knows', (from) => ({ ...from, _meta: { x: 1 } })],
    ['one character nobody sees', (from) => ({ ...from, description: `${from.description}\u200b` })],
  ])('%s is a part of the definition, the order of its keys is none', (_what, change) => {
    const { catalog } = watched(false)
    catalog.update('one', offer({ tools: [tool('a')] }))
    const { inputSchema, description, name } = tool('a')
    catalog.update('one', offer({ tools: [{ inputSchema, description, name } as Tool] }))
    expect(catalog.findTool('one:a')?.trust).toBe('known')
    catalog.update('one', offer({ tools: [change(tool('a'))] }))
    expect(catalog.findTool('one:a')?.trust).toBe('changed')
  })
})
