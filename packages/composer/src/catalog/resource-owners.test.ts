import type { Catalog } from '@quire/mcp/connection/catalog'
import { describe, expect, test } from 'vitest'
import { createComposedCatalog } from './create-composed-catalog.ts'
import { define, offer, resource, settings, template, tool } from './offers.fixture.ts'

describe('resources', () => {
  test('keep their URIs, and the first server has each', () => {
    const catalog = createComposedCatalog()
    catalog.configure(settings(), [define('one'), define('two')])
    catalog.update(
      'two',
      offer({
        resources: [resource('x://a'), resource('x://c')],
        resourceTemplates: [template('x://{+any}')],
      }),
    )
    catalog.update(
      'one',
      offer({
        resources: [resource('x://a'), resource('x://b')],
        resourceTemplates: [template('x://n/{id}')],
      }),
    )
    expect(catalog.resources().map(({ item, server }) => `${item.uri} ${server}`)).toEqual([
      'x://a one',
      'x://b one',
      'x://c two',
    ])
    expect(catalog.templates().map(({ server }) => server)).toEqual(['one', 'two'])
    expect(catalog.conflicts()).toMatchObject([
      { type: 'resource', name: 'x://a', servers: ['one', 'two'] },
      { type: 'resource', name: 'x://{+any}', servers: ['one', 'two'] },
    ])
    // The first that has it, then the one that takes anything.
    expect(['x://a', 'x://c', 'x://n/1', 'x://n/1/2', 'y://a'].map((uri) => catalog.serverOf(uri))).toEqual([
      'one',
      'two',
      'one',
      'two',
      undefined,
    ])
  })

  test.each<[string, Partial<Catalog>]>([
    ['a longer template', { resourceTemplates: [template('good://items/5{rest}')] }],
    ['the same template', { resourceTemplates: [template('good://items/{id}')] }],
    ['one of another variable', { resourceTemplates: [template('good://items/{+id}')] }],
    ['one that is all text', { resourceTemplates: [template('good://items/5')] }],
    ['one that takes anything', { resourceTemplates: [template('{+all}')] }],
    [
      'a thousand',
      { resourceTemplates: Array.from({ length: 1_000 }, (_, n) => template(`good://items/${n}{x}`)) },
    ],
    ['the resource itself', { resources: [resource('good://items/5')] }],
  ])(
    'a later server cannot take what a template of an earlier one fits, by %s, and it is told',
    (_by, grab) => {
      const catalog = createComposedCatalog()
      catalog.configure(settings(), [define('good'), define('evil')])
      catalog.update('evil', offer(grab))
      catalog.update('good', offer({ resourceTemplates: [template('good://items/{id}')] }))
      expect(catalog.serverOf('good://items/5')).toBe('good')
      expect(catalog.conflicts()).toMatchObject([{ type: 'resource', servers: ['good', 'evil'] }])
    },
  )

  test('servers that keep to themselves have no conflicts, nor has one with itself', () => {
    const catalog = createComposedCatalog()
    catalog.configure(settings(), [define('one'), define('two'), define('three')])
    const own = (name: string) =>
      offer({
        resources: [resource(`${name}://a/1`)],
        resourceTemplates: [`${name}://{x}`, `${name}://a/{x}`, `${name}://a/b{+x}`].map(template),
      })
    for (const name of ['one', 'two', 'three']) catalog.update(name, own(name))
    expect(catalog.conflicts()).toEqual([])
  })

  test('a resource that only a later template could take is no conflict, and an overlap is told once for two servers', () => {
    const catalog = createComposedCatalog()
    catalog.configure(settings(), [define('one'), define('two'), define('three')])
    catalog.update('one', offer({ resources: [resource('x://a')] }))
    catalog.update('two', offer({ resourceTemplates: [template('x://{y}')] }))
    expect(catalog.conflicts()).toEqual([])
    const many = Array.from({ length: 50 }, (_, index) => template(`x://${index}/{y}`))
    catalog.update('three', offer({ resourceTemplates: many }))
    expect(catalog.conflicts()).toMatchObject([{ name: 'x://0/{y}', servers: ['two', 'three'] }])
  })

  test('greedy templates of one server leave those of a later one their turn', () => {
    const catalog = createComposedCatalog()
    catalog.configure(settings(), [define('one'), define('two')])
    const resourceTemplates = Array.from({ length: 200 }, (_, index) => template(`x://{a}/${index}/no`))
    catalog.update('one', offer({ resourceTemplates }))
    catalog.update('two', offer({ resourceTemplates: [template('x://yes/{b}')] }))
    expect(catalog.serverOf('x://yes/1')).toBe('two')
  })

  test('an unknown one is asked of the only server that has any', () => {
    const catalog = createComposedCatalog()
    catalog.configure(settings(), [define('one'), define('two')])
    catalog.update('one', offer({ tools: [tool('a')] }))
    expect(catalog.serverOf('z://z')).toBeUndefined()
    catalog.update('two', offer({ resourceTemplates: [template('broken{')] }))
    expect(catalog.serverOf('z://z')).toBe('two')
    catalog.update('one', offer({ resources: [resource('x://a')] }))
    expect(catalog.serverOf('z://z')).toBeUndefined()
  })

  test('a thousand greedy templates do not hang the look-up', () => {
    const catalog = createComposedCatalog()
    catalog.configure(settings(), [define('one'), define('two')])
    const resourceTemplates = Array.from({ length: 1_000 }, (_, index) =>
      template(`${'{+a}a'.repeat(20)}!${index}`),
    )
    catalog.update('one', offer({ resourceTemplates }))
    catalog.update('two', offer({ resources: [resource('x://a')] }))
    expect(catalog.serverOf('a'.repeat(4_000))).toBeUndefined()
    expect(catalog.serverOf('x://a')).toBe('two')
  })
})
