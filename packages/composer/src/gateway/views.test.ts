import type { Era } from '@quire/mcp/connection/era'
import { verifies } from '@quire/spec/verifies'
import { afterEach, describe, expect, test } from 'vitest'
import { createAccess } from '../access/access.ts'
import { createComposedCatalog } from '../catalog/create-composed-catalog.ts'
import { define, offer, prompt, resource, settings, template, tool } from '../catalog/offers.fixture.ts'
import { ComposerError } from '../composer-error.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import type { Params } from '../rpc.ts'
import { createGateway } from './create-gateway.ts'
import type { DrivenGateway } from './driven-gateway.ts'
import { client, createHandServers, errorOf, request, resultOf } from './parts.fixture.ts'

const ROLES: Readonly<Record<string, readonly string[]>> = {
  all: ['*'],
  py: ['py:*'],
  some: ['py:a*', 'web:w://a*', 'web:w://t/*'],
  none: [],
}
const SERVERS = ['py', 'web']
const open: DrivenGateway[] = []

afterEach(() => {
  for (const gateway of open.splice(0)) gateway.close()
})

/** Two servers that offer the same kinds of things, and callers with a role each. */
function start(era: Era) {
  const catalog = createComposedCatalog()
  catalog.configure(
    settings(),
    SERVERS.map((name) => define(name)),
  )
  for (const name of SERVERS) {
    const scheme = `${name[0]}://`
    catalog.update(
      name,
      offer({
        tools: [tool('add'), tool('sub')],
        prompts: [prompt('ask'), prompt('tell')],
        resources: [resource(`${scheme}a`), resource(`${scheme}b`)],
        resourceTemplates: [template(`${scheme}t/{id}`)],
      }),
    )
  }
  const roles = Object.entries(ROLES).map(([name, tools]) => ({ name, tools, scopes: [] }))
  const access = createAccess({ enabled: true, roles, rateLimit: undefined })
  const servers = createHandServers(SERVERS, 'legacy', () => ({ done: true }))
  const gateway = createGateway({
    catalog,
    ...servers,
    settings: () => ({ name: 'quire', version: '1', mode: 'full' }),
    viewOf: access.viewOf,
    logger: createSilentLogger(),
  })
  open.push(gateway)
  const as = (role: string) => {
    const principal = { subject: role, roles: [role] }
    return client(era, { principal })
  }
  const ask = (role: string, method: string, params: Params = {}) =>
    gateway.handle(request(as(role), method, params))
  return { gateway, access, catalog, as, ask, ...servers }
}

const LISTS = {
  'tools/list': ['tools', 'name'],
  'prompts/list': ['prompts', 'name'],
  'resources/list': ['resources', 'uri'],
  'resources/templates/list': ['resourceTemplates', 'uriTemplate'],
} as const

describe.each<Era>(['legacy', 'modern'])('to a %s client', (era) => {
  test.each<[keyof typeof LISTS, Record<string, readonly string[]>]>([
    [
      'tools/list',
      { all: ['py__add', 'py__sub', 'web__add', 'web__sub'], py: ['py__add', 'py__sub'], some: ['py__add'] },
    ],
    [
      'prompts/list',
      {
        all: ['py__ask', 'py__tell', 'web__ask', 'web__tell'],
        py: ['py__ask', 'py__tell'],
        some: ['py__ask'],
      },
    ],
    [
      'resources/list',
      { all: ['p://a', 'p://b', 'w://a', 'w://b'], py: ['p://a', 'p://b'], some: ['w://a'] },
    ],
    [
      'resources/templates/list',
      { all: ['p://t/{id}', 'w://t/{id}'], py: ['p://t/{id}'], some: ['w://t/{id}'] },
    ],
  ])('%s shows what the role allows, and nothing else', async (method, seen) => {
    verifies('CO-VIEW-1')
    const { ask } = start(era)
    const [kind, key] = LISTS[method]
    // In turns, and twice: nobody gets the list that was written for another.
    for (const role of [...Object.keys(ROLES), ...Object.keys(ROLES), 'unknown']) {
      const items: Record<string, string>[] = resultOf(await ask(role, method))[kind]
      expect(items.map((item) => item[key])).toEqual(seen[role] ?? [])
    }
  })

  const onPrompt = (name: string) => ({ ref: { type: 'ref/prompt', name }, argument: {} })
  const onResource = (uri: string) => ({ ref: { type: 'ref/resource', uri }, argument: {} })

  describe.each<[string, Params, readonly string[]]>([
    ['tools/call', { name: 'py__add' }, ['all', 'py', 'some']],
    ['tools/call', { name: 'py:sub' }, ['all', 'py']],
    ['tools/call', { name: 'web__add' }, ['all']],
    ['prompts/get', { name: 'py__ask' }, ['all', 'py', 'some']],
    ['prompts/get', { name: 'py:tell' }, ['all', 'py']],
    ['prompts/get', { name: 'web__ask' }, ['all']],
    ['resources/read', { uri: 'p://a' }, ['all', 'py']],
    ['resources/read', { uri: 'w://a' }, ['all', 'some']],
    ['resources/read', { uri: 'w://b' }, ['all']],
    ['resources/read', { uri: 'p://t/1' }, ['all', 'py']],
    ['resources/read', { uri: 'w://t/1' }, ['all', 'some']],
    ['resources/read', { uri: 'w://t/..' }, ['all']],
    ['completion/complete', onPrompt('py__ask'), ['all', 'py', 'some']],
    ['completion/complete', onPrompt('web:ask'), ['all']],
    ['completion/complete', onResource('p://t/{id}'), ['all', 'py']],
    ['completion/complete', onResource('w://t/{id}'), ['all', 'some']],
    ['completion/complete', onResource('w://b'), ['all']],
  ])('%s of %j', (method, params, allowed) => {
    test('reaches the server of those who may', async () => {
      const { ask, sent } = start(era)
      for (const role of allowed)
        expect(resultOf(await ask(role, method, params))).toMatchObject({ done: true })
      expect(sent).toHaveLength(allowed.length)
    })

    test('is to all others as of something that does not exist', async () => {
      const { ask, sent } = start(era)
      const unknown = toUnknown(params)
      for (const role of [...Object.keys(ROLES), 'unknown'].filter((name) => !allowed.includes(name))) {
        const refused = errorOf(await ask(role, method, params))
        const missing = errorOf(await ask(role, method, unknown.params))
        expect(unknown.rename(JSON.stringify(missing))).toBe(JSON.stringify(refused))
      }
      expect(sent).toEqual([])
    })
  })

  test.each([
    ['p://a', ['all', 'py']],
    ['w://a', ['all', 'some']],
    ['w://t/1', ['all', 'some']],
    ['w://t/..', ['all']],
    ['w://b', ['all']],
  ])('of changes of %s only those hear who may read it', async (uri, allowed) => {
    const { gateway, as, links } = start(era)
    for (const role of [...Object.keys(ROLES), 'unknown']) {
      const subscribed = gateway.subscribe(as(role), uri)
      if (allowed.includes(role)) (await subscribed)()
      else
        await expect(subscribed).rejects.toMatchObject({
          code: era === 'legacy' ? -32002 : -32602,
          message: 'Resource not found. List the resources to see what there is.',
        })
    }
    expect([...links.values()].flatMap(({ subscribed }) => subscribed)).toEqual([])
  })

  test('a change of the roles counts from the next request on', async () => {
    const { access, ask } = start(era)
    const listed = async () => resultOf(await ask('py', 'prompts/list')).prompts.length
    expect(await listed()).toBe(2)
    const roles = [{ name: 'py', tools: ['py:tell'], scopes: [] }]
    access.configure({ enabled: true, roles, rateLimit: undefined })
    expect(await listed()).toBe(1)
    expect(errorOf(await ask('py', 'prompts/get', { name: 'py__ask' })).code).toBe(-32602)
    access.configure({ enabled: false, roles: [], rateLimit: undefined })
    expect(await listed()).toBe(4)
  })
})

describe('what servers say of how they are to be used', () => {
  const py = '## py\nUse py well.'
  const web = '## web\nUse web well.'

  test.each([
    ['all', `${py}\n\n${web}`],
    ['py', py],
    ['some', `${py}\n\n${web}`],
    ['none', undefined],
    ['unknown', undefined],
  ])('reaches the role %s as far as it sees something of the server', async (role, expected) => {
    const { gateway, as, ask } = start('modern')
    for (const name of SERVERS) gateway.linkReplaced(name)
    expect(gateway.face(as(role)).instructions).toBe(expected)
    expect(resultOf(await ask(role, 'server/discover')).instructions).toBe(expected)
    expect(gateway.face().instructions).toBeUndefined()
  })
})

test('why a server does not run is told to those alone who may use it', async () => {
  const { ask, servers, catalog } = start('legacy')
  for (const { name } of servers) catalog.update(name, undefined)
  const used: string[] = []
  for (const server of servers)
    Object.assign(server, {
      use: async () => {
        used.push(server.name)
        throw new ComposerError('SERVER_CRASHED', `${server.name} has crashed: the disk is full`)
      },
    })
  expect(errorOf(await ask('py', 'tools/call', { name: 'py__add' })).message).toContain('the disk is full')
  const hidden = errorOf(await ask('py', 'tools/call', { name: 'web__add' }))
  const missing = errorOf(await ask('py', 'tools/call', { name: 'ghost__add' }))
  expect(hidden).toEqual({ ...missing, message: missing.message.replace('ghost', 'web') })
  expect(used).toEqual(['py'])
})

/** The same request for what nobody has, and how its answer would read for what was asked. */
function toUnknown(params: Params): { readonly params: Params; rename(text: string): string } {
  const named = JSON.stringify(params).match(/"(?:name|uri)":"([^"]+)"/)?.[1] ?? ''
  const missing = named.includes('://') ? named.replace(/^./, 'z') : named.replace(/^[a-z]+/, 'ghost')
  return {
    params: JSON.parse(JSON.stringify(params).replace(named, missing)),
    rename: (text) => text.replaceAll(missing, named),
  }
}
