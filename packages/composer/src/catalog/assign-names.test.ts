import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import { CONFLICT_STRATEGIES, type ToolSettings } from '../config/config.ts'
import { createComposedCatalog } from './create-composed-catalog.ts'
import { catalogOf, createDice, define, namesOf, offer, prompt, settings, tool } from './offers.fixture.ts'

const clash = { one: ['read', 'alone'], two: ['read'], three: ['read'] }
const long = 'x'.repeat(80)

describe('names on MCP', () => {
  test.each<[ToolSettings['strategy'], readonly string[]]>([
    [
      'prefix',
      ['one__read = one:read', 'one__alone = one:alone', 'two__read = two:read', 'three__read = three:read'],
    ],
    [
      'suffix',
      ['read__one = one:read', 'alone__one = one:alone', 'read__two = two:read', 'read__three = three:read'],
    ],
    ['ignore', ['read = one:read', 'alone = one:alone']],
    ['override', ['alone = one:alone', 'read = three:read']],
    ['error', ['alone = one:alone']],
    [
      'custom',
      [
        'one-x-read = one:read',
        'one-x-alone = one:alone',
        'two-x-read = two:read',
        'three-x-read = three:read',
      ],
    ],
  ])('by the strategy %s', (strategy, names) => {
    verifies('CO-MCP-3', 'CO-MCP-4')
    const catalog = catalogOf(clash, { strategy, template: '{server_name}-x-{tool_name}' })
    expect(namesOf(catalog)).toEqual(names)
    const [conflict, ...others] = catalog.conflicts()
    expect(conflict).toMatchObject({ type: 'tool', name: 'read', servers: ['one', 'two', 'three'] })
    expect(others).toEqual([])
  })

  test('what is not offered over MCP is still there by its id', () => {
    verifies('CO-TOOL-2', 'CO-MCP-5')
    for (const strategy of CONFLICT_STRATEGIES) {
      const catalog = catalogOf(clash, { strategy })
      for (const id of ['one:read', 'one:alone', 'two:read', 'three:read']) {
        expect(catalog.findTool(id), `${strategy} ${id}`).toMatchObject({ id, server: id.split(':')[0] })
      }
      for (const { name, id } of catalog.tools()) expect(catalog.findTool(name)?.id).toBe(id)
    }
  })

  test('the record of a clash says what to do', () => {
    const [error] = catalogOf(clash, { strategy: 'error' }).conflicts()
    expect(error?.resolution).toMatch(/None is offered over MCP.*one:read, two:read, three:read.*alias/)
    const [ignore] = catalogOf(clash, { strategy: 'ignore' }).conflicts()
    expect(ignore?.resolution).toMatch(
      /read is that of "one"; not offered over MCP: two:read, three:read\. .*alias/,
    )
    const [prefix] = catalogOf(clash).conflicts()
    expect(prefix?.resolution).toBe(
      'Each is offered under a name of its own: one__read, two__read, three__read.',
    )
  })

  test('the first override that fits decides, tool by tool', () => {
    const overrides = [
      { pattern: 'get_*', strategy: 'ignore' },
      { pattern: 'get_user', strategy: 'suffix' },
      { pattern: '*', strategy: 'custom' },
    ] as const
    expect(namesOf(catalogOf({ one: ['get_user', 'put'] }, { overrides }))).toEqual([
      'get_user = one:get_user',
      'one_put = one:put',
    ])
  })

  test.each([
    ['characters', 'a.b', 'read file/ä😀', /^a_b__read_file___$/],
    ['length', 'a', long, /^a__x{52}_[0-9a-f]{8}$/],
    ['nothing', 'a', '', /^a__$/],
  ])('a name that clients refuse is repaired: %s', (_what, server, own, expected) => {
    verifies('CO-MCP-3')
    const catalog = catalogOf({ [server]: [own] })
    const [entry] = catalog.tools()
    expect(entry?.name).toMatch(expected)
    expect(entry?.item.name).toBe(own)
    expect(catalog.findTool(`${server}:${own}`)).toBe(entry)
  })

  test.each(['ignore', 'override', 'error'] as const)(
    '%s leaves a valid name untouched and repairs others',
    (strategy) => {
      const names = catalogOf({ one: ['a__b', 'x.y', long, ''] }, { strategy })
        .tools()
        .map(({ name }) => name)
      expect(names).toEqual([
        'a__b',
        'x_y',
        expect.stringMatching(/^x{55}_[0-9a-f]{8}$/),
        expect.stringMatching(/^_[0-9a-f]{8}$/),
      ])
    },
  )

  test('two that would still meet are told apart, and the configuration says who keeps the name', () => {
    const catalog = catalogOf({ a: ['b__c', 'x.y', 'x_y'], a__b: ['c'] })
    const names = new Map(catalog.tools().map(({ name, id }) => [id, name]))
    expect(names.get('a:b__c')).toBe('a__b__c')
    expect(names.get('a__b:c')).toMatch(/^a__b__c_[0-9a-f]{8}$/)
    expect(names.get('a:x.y')).toBe('a__x_y')
    expect(names.get('a:x_y')).toMatch(/^a__x_y_[0-9a-f]{8}$/)
    expect(catalog.conflicts().map(({ name }) => name)).toEqual(['a__x_y', 'a__b__c'])
  })

  test('a name of its own is not lost to one that is made up, nor to one that looks like a hash', () => {
    const made = catalogOf({ a: ['x.y', 'x_y'] }, { strategy: 'ignore' })
    expect(made.findTool('x_y')?.id).toBe('a:x_y')
    const other = made.findTool('a:x.y')?.name ?? ''
    const taken = catalogOf({ a: ['x.y', 'x_y', other] }, { strategy: 'ignore' })
    expect(taken.findTool(other)?.id).toBe(`a:${other}`)
    expect(taken.findTool('a:x.y')?.name).toMatch(/^x_y_[0-9a-f]{8}$/)
    expect(new Set(taken.tools().map(({ name }) => name)).size).toBe(3)
  })

  test('a template is filled in once, whatever the names hold', () => {
    const template = '{tool_name}-{server_name}-{other}'
    const catalog = catalogOf({ '{tool_name}': ['$&{server_name}'] }, { strategy: 'custom', template })
    expect(catalog.tools()[0]?.name).toBe('___server_name_-_tool_name_-_other_')
  })

  test('a template without names still gives each tool one', () => {
    const catalog = catalogOf({ a: ['x', 'y'], b: ['x'] }, { strategy: 'custom', template: 'tool' })
    expect(catalog.tools().map(({ name }) => name)).toEqual([
      'tool',
      expect.stringMatching(/^tool_/),
      expect.stringMatching(/^tool_/),
    ])
  })

  test('prompts are named as tools are', () => {
    const catalog = createComposedCatalog()
    catalog.configure(settings({ strategy: 'ignore' }), [define('one'), define('two')])
    catalog.update('one', offer({ prompts: [prompt('greet'), prompt('a b')] }))
    catalog.update('two', offer({ prompts: [prompt('greet'), prompt('part')] }))
    expect(catalog.prompts().map(({ name, id }) => [name, id])).toEqual([
      ['greet', 'one:greet'],
      ['a_b', 'one:a b'],
      ['part', 'two:part'],
    ])
    expect(catalog.findPrompt('greet')?.server).toBe('one')
    expect(catalog.findPrompt('two:greet')?.server).toBe('two')
    expect(catalog.findPrompt('nobody')).toBeUndefined()
    expect(catalog.conflicts()).toMatchObject([{ type: 'prompt', name: 'greet', servers: ['one', 'two'] }])
  })
})

describe('versions', () => {
  const named = (
    versioning: Partial<ToolSettings['versioning']>,
    strategy: ToolSettings['strategy'],
    versions: readonly (string | undefined)[],
  ) => {
    const catalog = createComposedCatalog()
    const servers = versions.map((version, index) => define(`s${index}`, { version }))
    catalog.configure(
      settings({
        strategy,
        versioning: { enabled: true, allowMultiple: false, suffix: '_v{version}', ...versioning },
      }),
      servers,
    )
    servers.forEach(({ name }, index) => {
      catalog.update(name, offer({ tools: [tool('read'), tool(`own${index}`)] }), '0.1')
    })
    return namesOf(catalog)
  }

  test('several at once: every name of a server with a version says it', () => {
    expect(named({ allowMultiple: true }, 'ignore', ['1.0.0', '2.1'])).toEqual([
      'read_v1_0_0 = s0:read',
      'own0_v1_0_0 = s0:own0',
      'read_v2_1 = s1:read',
      'own1_v2_1 = s1:own1',
    ])
  })

  test('one at a time: of those that clash, the newest stays plain', () => {
    expect(named({}, 'error', ['1.9', '1.10', '1.2'])).toEqual([
      'read_v1_9 = s0:read',
      'own0 = s0:own0',
      'read = s1:read',
      'own1 = s1:own1',
      'read_v1_2 = s2:read',
      'own2 = s2:own2',
    ])
  })

  test('the version of the handshake counts where none is configured, and equal ones are left to the strategy', () => {
    expect(named({}, 'prefix', [undefined, '0.2'])).toContain('s0__read_v0_1 = s0:read')
    expect(named({}, 'ignore', [undefined, undefined, undefined])).toEqual([
      'read = s0:read',
      'own0 = s0:own0',
      'read_v0_1 = s1:read',
      'own1 = s1:own1',
      'own2 = s2:own2',
    ])
  })

  test('switched off they are not seen', () => {
    expect(named({ enabled: false }, 'prefix', ['1.0.0', '2.0.0'])).toContain('s0__read = s0:read')
  })
})

/** Names that are likely to meet each other. */
const PARTS = ['a', 'b', '__', '_', '.', ' ', '-', 'ä', 'x'.repeat(30), ':', '😀', '_v1', 'A']

describe('any servers with any tools', () => {
  test.each(Array.from({ length: 60 }, (_, seed) => [seed]))('seed %i', (seed) => {
    verifies('CO-MCP-3', 'CO-MCP-5')
    const dice = createDice(seed)
    const word = (most: number) =>
      Array.from({ length: dice(most) + 1 }, () => PARTS[dice(PARTS.length)]).join('')
    const servers = [...new Set(Array.from({ length: dice(6) + 1 }, () => word(3).replaceAll(':', 'c')))].map(
      (name) => ({
        definition: define(name, { version: dice(2) ? `${dice(3)}.${dice(12)}` : undefined }),
        tools: Array.from({ length: dice(12) }, () => tool(word(4))),
      }),
    )
    const toolSettings = settings({
      strategy: CONFLICT_STRATEGIES[dice(CONFLICT_STRATEGIES.length)] ?? 'prefix',
      overrides: dice(2)
        ? [{ pattern: `*${PARTS[dice(3)]}*`, strategy: CONFLICT_STRATEGIES[dice(6)] ?? 'ignore' }]
        : [],
      template: ['{server_name}_{tool_name}', '{tool_name}', 'x'][dice(3)] ?? '',
      versioning: { enabled: dice(2) === 0, allowMultiple: dice(2) === 0, suffix: '_v{version}' },
    })

    const build = (order: readonly number[]) => {
      const catalog = createComposedCatalog()
      catalog.configure(
        toolSettings,
        servers.map(({ definition }) => definition),
      )
      for (const index of order) {
        const server = servers[index]
        if (server) catalog.update(server.definition.name, offer({ tools: server.tools }))
        // Somebody reads in between, which must leave no trace.
        if (dice(2)) catalog.tools()
      }
      return catalog
    }
    const inOrder = servers.map((_, index) => index)
    const catalog = build(inOrder)
    const names = catalog.tools().map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const { name, id, server, item } of catalog.tools()) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(id).toBe(`${server}:${item.name}`)
      expect(catalog.findTool(name)).toMatchObject({ id, name })
    }
    for (const { definition, tools } of servers) {
      for (const { name } of tools) {
        expect(catalog.findTool(`${definition.name}:${name}`)).toMatchObject({
          server: definition.name,
          item: { name },
        })
      }
    }
    expect(namesOf(build(inOrder.toReversed()))).toEqual(namesOf(catalog))
    expect(namesOf(build(inOrder.toSorted(() => dice(3) - 1)))).toEqual(namesOf(catalog))
  })
})
