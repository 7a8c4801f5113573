import { expect, test } from 'vitest'
import { RpcFault } from '../rpc.ts'
import { createParamHeaders } from './param-headers.ts'

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    deep: { type: 'object', properties: { tenant: { type: 'string', 'x-mcp-header': 'Tenant' } } },
  },
}
const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

function isRefused(inputSchema: object, args: unknown, headers: Record<string, string>): boolean {
  try {
    createParamHeaders().check(inputSchema, args, headers)
    return false
  } catch (error) {
    expect(error).toBeInstanceOf(RpcFault)
    expect(error).toMatchObject({ code: -32020 })
    return true
  }
}

test.each<[unknown, Record<string, string>]>([
  [{}, {}],
  [undefined, {}],
  ['text', {}],
  [{ region: null, count: null }, {}],
  [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
  [{ region: 'Zürich\n' }, { 'mcp-param-region': encoded('Zürich\n') }],
  [{ region: '' }, { 'mcp-param-region': '' }],
  [{ count: 42 }, { 'mcp-param-count': '42.0' }],
  [{ dry: false }, { 'mcp-param-dry': 'false' }],
  [{ deep: { tenant: 'a' } }, { 'mcp-param-tenant': 'a' }],
  [{ other: 1 }, { 'mcp-param-other': 'whatever' }],
  [{}, { 'mcp-param-region': 'nobody asked' }],
])('arguments %j agree with headers %j', (args, headers) => {
  expect(isRefused(schema, args, headers)).toBe(false)
})

test.each<[unknown, Record<string, string>]>([
  [{ region: 'eu' }, {}],
  [{ region: 'eu' }, { 'mcp-param-region': 'us' }],
  [{ region: 'eu' }, { 'mcp-param-region': 'EU' }],
  [{ region: 'eu' }, { 'mcp-param-region': 'eu, us' }],
  [{ region: 'eu' }, { 'mcp-param-region': '=?base64?ZX?=' }],
  [{ region: 'eu' }, { 'mcp-param-region': '=?base64?/w==?=' }],
  [{ region: 'eu' }, { 'mcp-param-region': encoded('us') }],
  [{ count: 42 }, { 'mcp-param-count': '0x2a' }],
  [{ count: 42 }, { 'mcp-param-count': '' }],
  [{ count: 42 }, { 'mcp-param-count': '43' }],
  [{ dry: true }, { 'mcp-param-dry': 'TRUE' }],
  [{ deep: { tenant: 'a' } }, { 'mcp-param-tenant': 'b' }],
  [{ deep: { tenant: 'a' } }, {}],
])('arguments %j disagree with headers %j', (args, headers) => {
  expect(isRefused(schema, args, headers)).toBe(true)
})

test.each<[string, object]>([
  ['a header that is no token', { a: { type: 'string', 'x-mcp-header': 'a b' } }],
  ['a header with a line break', { a: { type: 'string', 'x-mcp-header': 'a\r\nb' } }],
  ['an empty header', { a: { type: 'string', 'x-mcp-header': '' } }],
  ['a header that is no text', { a: { type: 'string', 'x-mcp-header': 1 } }],
  ['an object', { a: { type: 'object', 'x-mcp-header': 'A' } }],
  [
    'two of one name',
    { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
  ],
])('nobody is held to a schema that declares %s', (_what, properties) => {
  expect(isRefused({ type: 'object', properties }, { a: 'x', b: 'y' }, {})).toBe(false)
})

test('names that every object has are arguments only where they are sent', () => {
  const properties = { constructor: { type: 'string', 'x-mcp-header': 'toString' } }
  expect(isRefused({ type: 'object', properties }, {}, {})).toBe(false)
  expect(isRefused({ type: 'object', properties }, { constructor: 'x' }, {})).toBe(true)
})

test('a schema that is nested without end is not followed to its end', () => {
  const properties: Record<string, object> = {}
  const endless = { type: 'object', properties }
  properties.again = endless
  expect(isRefused(endless, {}, {})).toBe(false)
})
