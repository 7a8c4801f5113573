import type { Tool } from '@modelcontextprotocol/client'
import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import type { View } from './composed-catalog.ts'
import { createComposedCatalog } from './create-composed-catalog.ts'
import { catalogOf, define, idsOf, namesOf, offer, settings, tool } from './offers.fixture.ts'

const only = (...ids: string[]): View => ({
  key: ids.join(),
  allowsTool: ({ id }) => ids.includes(id),
  allows: (id) => ids.includes(id),
})

describe('what servers offer', () => {
  test('comes and goes with them, in the order of the configuration', () => {
    const catalog = createComposedCatalog()
    catalog.update('two', offer({ tools: [tool('b')] }))
    expect(namesOf(catalog)).toEqual([])
    catalog.configure(settings(), [define('one'), define('two')])
    expect(namesOf(catalog)).toEqual(['two__b = two:b'])
    catalog.update('one', offer({ tools: [tool('a')] }))
    expect(namesOf(catalog)).toEqual(['one__a = one:a', 'two__b = two:b'])
    catalog.update('one', offer({ tools: [tool('c')] }))
    expect(namesOf(catalog)).toEqual(['one__c = one:c', 'two__b = two:b'])
    catalog.update('one', undefined)
    expect(namesOf(catalog)).toEqual(['two__b = two:b'])
    expect(catalog.findTool('one:c')).toBeUndefined()
    catalog.update('stranger', offer({ tools: [tool('d')] }))
    catalog.configure(settings({ strategy: 'ignore' }), [define('two'), define('one')])
    expect(namesOf(catalog)).toEqual(['b = two:b'])
    catalog.configure(settings(), [define('one'), define('stranger')])
    expect(namesOf(catalog)).toEqual([])
  })

  test('is handed on as it was written, and listed once', () => {
    const odd = { ...tool('a', '\u202eodd'), _meta: { x: 1 }, unknown: { y: [2] } }
    const catalog = catalogOf({ one: [odd] })
    expect(catalog.tools()[0]?.item).toBe(odd)
    expect(catalog.tools()).toBe(catalog.tools())
    expect(catalog.tools(only('one:a'))).toBe(catalog.tools(only('one:a')))
  })

  test('is limited to what the definition includes and does not exclude', () => {
    const catalog = createComposedCatalog()
    const tools = ['get_user', 'get_secret', 'put_user', 'GET_user'].map((name) => tool(name))
    catalog.configure(settings(), [define('one', { includeTools: ['get_*'], excludeTools: ['*_secret'] })])
    catalog.update('one', offer({ tools }))
    expect(idsOf(catalog.tools())).toEqual(['one:get_user'])
    expect(catalog.findTool('one:put_user')).toBeUndefined()
    catalog.configure(settings(), [define('one', { includeTools: [] })])
    expect(catalog.tools()).toEqual([])
    catalog.configure(settings(), [define('one', { excludeTools: ['put_*'] })])
    expect(catalog.tools()).toHaveLength(3)
  })

  test.each<[string, readonly unknown[]]>([
    ['the same name twice', [tool('a'), { ...tool('a'), description: 'another' }]],
    ['a name without end', [tool('a'), tool('n'.repeat(2_000))]],
    [
      'a definition too deep',
      [tool('a'), { ...tool('b'), _meta: JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) }],
    ],
    ['a definition that is no JSON', [tool('a'), { ...tool('b'), _meta: { n: 1n } }]],
  ])('%s is left out and told', (_what, tools) => {
    const catalog = catalogOf({ one: tools as readonly Tool[] })
    expect(namesOf(catalog)).toEqual(['one__a = one:a'])
    expect(catalog.conflicts()).toMatchObject(
      [{ type: 'tool', servers: ['one'], resolution: /^Left out, for / }].map(({ resolution, ...rest }) => ({
        ...rest,
        resolution: expect.stringMatching(resolution),
      })),
    )
    expect(catalog.conflicts()[0]?.name.length).toBeLessThan(100)
  })

  test('a definition of the wrong shape harms nobody', () => {
    const odd = { name: 'odd', description: 7, inputSchema: null, title: ['x'] } as unknown as Tool
    const catalog = catalogOf({ one: [odd, 'a'] })
    expect(namesOf(catalog)).toEqual(['one__odd = one:odd', 'one__a = one:a'])
    expect(catalog.search({ search: 'odd', limit: 10, offset: 0 }).total).toBe(1)
  })
})

describe('views', () => {
  test('a caller finds, lists and searches only what they may see', () => {
    const catalog = catalogOf({ one: ['a', 'b'], two: ['a'] }, { aliases: { short: 'two:a' } })
    const view = only('one:a', 'two:a')
    expect(catalog.tools(view).map(({ name }) => name)).toEqual(['one__a', 'two__a', 'short'])
    expect(catalog.search({ limit: 10, offset: 0 }, view).total).toBe(2)
    expect(catalog.findTool('one:b', view)).toBeUndefined()
    expect(catalog.findTool('one__b', view)).toBeUndefined()
    expect(catalog.findTool('short', only('one:a'))).toBeUndefined()
    expect(catalog.findTool('one__a', view)?.id).toBe('one:a')
    catalog.update('two', undefined)
    expect(idsOf(catalog.tools(view))).toEqual(['one:a'])
  })

  test('many views are no leak of one into another', () => {
    const catalog = catalogOf({ one: Array.from({ length: 400 }, (_, index) => `t${index}`) })
    for (let round = 0; round < 2; round += 1) {
      for (let index = 0; index < 400; index += 1) {
        expect(idsOf(catalog.tools(only(`one:t${index}`)))).toEqual([`one:t${index}`])
      }
    }
  })
})

describe('search', () => {
  const catalog = catalogOf({
    files: [tool('read', 'Opens a FILE'), tool('write', 'Writes what was read')],
    web: [tool('read_page', 'Fetches Ünïcode'), tool('ping', '')],
  })
  const search = (query: object) => catalog.search({ limit: 100, offset: 0, ...query })

  test.each([
    ['read', ['files:read', 'web:read_page', 'files:write']],
    ['READ', ['files:read', 'web:read_page', 'files:write']],
    ['file read', ['files:read', 'files:write']],
    ['files__read', ['files:read']],
    ['files:', ['files:read', 'files:write']],
    ['  opens   file ', ['files:read']],
    ['ünÏcode', ['web:read_page']],
    ['', ['files:read', 'files:write', 'web:read_page', 'web:ping']],
    ['.*', []],
    ['(a+)+$', []],
    ['[', []],
    ['opens nothing', []],
  ])('for %j', (text, ids) => {
    verifies('CO-TOOL-5')
    expect(idsOf(search({ search: text }).tools)).toEqual(ids)
  })

  test('by server, page by page', () => {
    verifies('CO-TOOL-4', 'CO-TOOL-7')
    expect(idsOf(search({ server: 'web' }).tools)).toEqual(['web:read_page', 'web:ping'])
    expect(search({ server: 'we' })).toEqual({ tools: [], total: 0 })
    const page = search({ search: 'read', limit: 1, offset: 1 })
    expect(idsOf(page.tools)).toEqual(['web:read_page'])
    expect(page.total).toBe(3)
    expect(search({ offset: 50 })).toEqual({ tools: [], total: 4 })
  })

  test('a flood of words is cut, not searched without end', () => {
    const words = Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' ')
    expect(search({ search: words }).total).toBe(0)
    expect(search({ search: `read ${'x'.repeat(100_000)}` }).total).toBe(0)
  })
})

describe('aliases', () => {
  test('a tool has a further name, on MCP as on REST', () => {
    verifies('CO-MCP-5')
    const catalog = catalogOf(
      { one: ['read'], two: ['read'] },
      { aliases: { look: 'two:read', see: 'one__read' } },
    )
    expect(namesOf(catalog)).toEqual([
      'one__read = one:read',
      'two__read = two:read',
      'look = two:read',
      'see = one:read',
    ])
    expect(catalog.findTool('look')?.id).toBe('two:read')
    expect(catalog.search({ limit: 10, offset: 0 }).total).toBe(2)
  })

  test('one that cannot be is told, and takes no name from anybody', () => {
    const aliases = {
      one__read: 'two:read',
      'one:read': 'two:read',
      nowhere: 'one:nothing',
      chain: 'look',
      look: 'two:read',
      'two words': 'two:read',
      ['n'.repeat(65)]: 'two:read',
      '': 'two:read',
      ...JSON.parse('{"__proto__": "constructor"}'),
    }
    const catalog = catalogOf({ one: ['read'], two: ['read'] }, { aliases })
    expect(namesOf(catalog).slice(2)).toEqual(['look = two:read'])
    expect(catalog.findTool('one__read')?.server).toBe('one')
    const faults = catalog.conflicts().filter(({ name }) => name !== 'read')
    expect(faults.map(({ type, name }) => `${type} ${name}`)).toEqual(
      ['one__read', 'one:read', 'nowhere', 'chain', 'two words', 'n'.repeat(65), '', '__proto__'].map(
        (name) => `tool ${name}`,
      ),
    )
  })

  test('it offers what lost its name to another', () => {
    const catalog = catalogOf(
      { one: ['read'], two: ['read'] },
      { strategy: 'ignore', aliases: { mine: 'two:read' } },
    )
    expect(namesOf(catalog)).toEqual(['read = one:read', 'mine = two:read'])
  })
})
