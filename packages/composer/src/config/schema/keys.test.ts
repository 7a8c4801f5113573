import { isRecord } from '@quire/mcp/json'
import { verifies } from '@quire/spec/verifies'
import { expect, test } from 'vitest'
import { configOf, faultsOf, parse } from '../config.fixture.ts'
import { configJsonSchema } from '../json-schema.ts'
import {
  ACCEPTED_ACCESS,
  ACCEPTED_COMMON,
  ACCEPTED_EMBEDDED,
  ACCEPTED_GENERAL,
  ACCEPTED_HTTP,
  ACCEPTED_REMOTE,
  ACCEPTED_STDIO,
} from './accepted-keys.fixture.ts'
import { REFUSED } from './refused-keys.fixture.ts'

const REMOTE_LISTS = ['sse', 'http', 'streamable-http', 'streamable_http'].map(
  (kind) => `servers.proxied.${kind}`,
)
const EVERY_LIST = ['servers.proxied.stdio', ...REMOTE_LISTS, 'servers.embedded.servers']

test.each([
  ...ACCEPTED_GENERAL,
  ...ACCEPTED_ACCESS,
  ...ACCEPTED_COMMON,
  ...ACCEPTED_STDIO,
  ...ACCEPTED_REMOTE,
  ...ACCEPTED_HTTP,
  ...ACCEPTED_EMBEDDED,
])('%s is taken and has its effect', (_, effect, expected) => {
  expect(effect()).toEqual(expected)
})

test.each(REFUSED)('%s is refused with what to do instead', (key, text, sentence) => {
  verifies('CO-FILE-1')
  const faults = parse(text).faults.filter(({ path }) => path === key)
  expect(faults).toHaveLength(1)
  expect(faults[0]?.message).toContain(sentence)
})

test('every key of the schema is in one of the two tables', () => {
  const taken = [
    ...[...ACCEPTED_GENERAL, ...ACCEPTED_ACCESS].map(([key]) => key),
    ...EVERY_LIST.flatMap((list) => ACCEPTED_COMMON.map(([key]) => `${list}.${key}`)),
    ...ACCEPTED_STDIO.map(([key]) => `servers.proxied.stdio.${key}`),
    ...REMOTE_LISTS.flatMap((list) => ACCEPTED_REMOTE.map(([key]) => `${list}.${key}`)),
    ...ACCEPTED_HTTP.map(([key]) => `servers.proxied.http.${key}`),
    ...ACCEPTED_EMBEDDED.map(([key]) => `servers.embedded.servers.${key}`),
  ]
  const refused = REFUSED.flatMap(([key]) => {
    const plain = key.replace(/\[\d+\]/g, '')
    return REMOTE_LISTS.map((list) => plain.replace('servers.proxied.sse', list))
  })
  expect(keysOf(configJsonSchema()).filter((key) => ![...taken, ...refused].includes(key))).toEqual([])
})

test('another prefix is for the REST API, and "/" for none', () => {
  expect(configOf('').api.pathPrefix).toBe('/api/v1')
  expect(configOf('[api]\npath_prefix = "/rest/v9"').api.pathPrefix).toBe('/rest/v9')
  expect(configOf('[api]\npath_prefix = "/"').api.pathPrefix).toBe('')
  expect(faultsOf('[api]\npath_prefix = "rest/"')).toEqual([
    expect.stringContaining('api.path_prefix must be a path'),
  ])
})

test('every kind of list of servers is read, into its kind of server', () => {
  const text = [
    ...REMOTE_LISTS.map((list, at) => `[[${list}]]\nname = "r${at}"\nurl = "http://localhost/x"`),
  ].join('\n')
  expect(configOf(text).servers.map(({ name, transport }) => `${name} ${transport}`)).toEqual([
    'r1 http',
    'r2 http',
    'r3 http',
    'r0 sse',
  ])
})

/** Every key that holds a value, by its path without indices. */
function keysOf(schema: unknown, path = ''): readonly string[] {
  if (!isRecord(schema)) return []
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
  const keys = branches.flatMap((branch): readonly string[] => {
    if (!isRecord(branch)) return []
    if (isRecord(branch.properties)) {
      return Object.entries(branch.properties).flatMap(([key, inner]) =>
        keysOf(inner, path ? `${path}.${key}` : key),
      )
    }
    return isRecord(branch.items) ? keysOf(branch.items, path) : [path]
  })
  return [...new Set(keys)]
}
