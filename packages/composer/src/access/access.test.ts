import { anonymous } from '@quire/kit/auth/principal'
import { expect, test } from 'vitest'
import { catalogOf, idsOf } from '../catalog/offers.fixture.ts'
import type { AuthorizationSettings } from '../config/config.ts'
import { createAccess } from './access.ts'

const role = (name: string, ...tools: string[]) => ({ name, tools, scopes: [] })
const settings = (...roles: AuthorizationSettings['roles']): AuthorizationSettings => ({
  enabled: true,
  roles,
  rateLimit: undefined,
})
const holder = (...roles: string[]) => ({ subject: 'ada', roles })
const catalog = catalogOf({ files: ['read', 'write', 'rm'], web: ['get'] })

const reader = role('reader', 'files:read', 'web:*')
const writer = role('writer', 'files:w*', 'files:read')
const all = ['files:read', 'files:write', 'files:rm', 'web:get']

test.each([
  ['one role', holder('reader'), [reader, writer], ['files:read', 'web:get']],
  ['two roles', holder('writer', 'reader'), [reader, writer], ['files:read', 'files:write', 'web:get']],
  ['a role that allows everything', holder('root'), [role('root', '*')], all],
  ['a role without tools', holder('idle'), [role('idle')], []],
  ['a role that is not known', holder('ghost'), [reader, role('default', '*')], []],
  ['a list without roles', holder(), [reader, role('default', 'web:*')], ['web:get']],
  ['no role and no default', { subject: 'ada' }, [reader], []],
  ['no role, with a default', { subject: 'ada' }, [reader, role('default', 'web:*')], ['web:get']],
  ['nobody is asked for a name', anonymous, [reader, role('default', 'web:*')], ['web:get']],
  ['nobody at all', undefined, [reader, role('default', 'web:*')], ['web:get']],
  ['no roles are configured', { subject: 'ada' }, [], []],
  [
    'a role of the same name twice',
    holder('reader'),
    [reader, role('reader', 'files:rm')],
    ['files:read', 'files:rm', 'web:get'],
  ],
  ['a pattern that is an expression elsewhere', holder('x'), [role('x', '.*', 'files:(read)', '[a-z]*')], []],
  ['the name of a server alone', holder('x'), [role('x', 'files')], []],
])('%s', (_what, principal, roles, ids) => {
  const view = createAccess(settings(...roles)).viewOf(principal)
  expect(idsOf(catalog.tools(view))).toEqual(ids)
  // Prompts and resources are named by the same patterns.
  expect(all.filter((id) => view.allows(id))).toEqual(ids)
})

test('with authorization off everybody sees everything', () => {
  const access = createAccess({ ...settings(reader), enabled: false })
  for (const principal of [holder('reader'), holder(), anonymous, undefined])
    expect(idsOf(catalog.tools(access.viewOf(principal)))).toEqual(all)
})

test('equal keys see the same, and a change of the roles is seen at once', () => {
  const access = createAccess(settings(reader, role('twin', 'web:*', 'files:read'), role('default')))
  const before = access.viewOf(holder('reader'))
  expect(access.viewOf(holder('reader'))).toBe(before)
  expect(access.viewOf(holder('twin')).key).toBe(before.key)
  expect(access.viewOf(undefined).key).not.toBe(before.key)
  expect(idsOf(catalog.tools(before))).toEqual(['files:read', 'web:get'])
  access.configure(settings(role('reader', 'files:rm')))
  expect(idsOf(catalog.tools(access.viewOf(holder('reader'))))).toEqual(['files:rm'])
})

test('any number of combinations of roles is held', () => {
  const access = createAccess(
    settings(...Array.from({ length: 3_000 }, (_, index) => role(`r${index}`, `t${index}`))),
  )
  for (let index = 0; index < 3_000; index += 1)
    expect(access.viewOf(holder(`r${index}`)).key).toBe(`["t${index}"]`)
})

test.each([
  ['off', false, ['web:get']],
  ['on', true, []],
])(
  'with authorization %s, servers that a caller has another way to are not shown to them',
  (_what, enabled, ids) => {
    let names = new Set(['files'])
    const hidden = { names: () => names, isFor: (principal: unknown) => principal === anonymous }
    const access = createAccess({ ...settings(role('default', 'files:*')), enabled }, hidden)
    const view = access.viewOf(anonymous)
    expect(idsOf(catalog.tools(view))).toEqual(ids)
    expect([view.allows('files:read'), view.allows('files:file:///a'), view.mayAllow('files')]).toEqual([
      false,
      false,
      false,
    ])
    expect(view.key).not.toBe(access.viewOf(undefined).key)
    expect(idsOf(catalog.tools(access.viewOf(undefined)))).toContain('files:read')
    names = new Set()
    access.configure({ ...settings(role('default', 'files:*')), enabled })
    expect(access.viewOf(anonymous).allows('files:read')).toBe(true)
  },
)
