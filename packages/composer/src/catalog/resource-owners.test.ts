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
    expect(catalog.conflicts()).toMatchObject([{ type: 'resource', name: 'x://a', servers: ['one', 'two'] }])
    // The one that knows most of the address, then the one that takes anything.
    expect(['x://a', 'x://c', 'x://n/1', 'x://n/1/2', 'y://a'].map(catalog.serverOf)).toEqual([
      'one',
      'two',
      'one',
      'two',
      undefined,
    ])
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
