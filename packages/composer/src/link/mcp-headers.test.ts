import { describe, expect, test } from 'vitest'
import { headerDeclarations, toMcpHeaders } from './mcp-headers.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    nested: { type: 'object', properties: { deep: { type: 'integer', 'x-mcp-header': 'Deep-Value' } } },
    plain: { type: 'string' },
    bad: { type: 'string', 'x-mcp-header': 'no token' },
    list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Never' } },
  },
}

describe('headers of the modern era', () => {
  test('name the method and what it is about', () => {
    expect(toMcpHeaders('tools/call', { name: 'echo' }, [])).toEqual({
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
    })
    expect(toMcpHeaders('resources/read', { uri: 'memo://a' }, [])).toMatchObject({ 'mcp-name': 'memo://a' })
    expect(toMcpHeaders('tools/list', { name: 'x' }, [])).toEqual({ 'mcp-method': 'tools/list' })
    expect(toMcpHeaders('constructor', {}, [])).toEqual({ 'mcp-method': 'constructor' })
  })

  test.each([
    ['plain text', 'plain text'],
    ['', '=?base64??='],
    ['Wörter', `=?base64?${Buffer.from('Wörter').toString('base64')}?=`],
    [' padded', `=?base64?${Buffer.from(' padded').toString('base64')}?=`],
    ['a\r\nInjected: yes', `=?base64?${Buffer.from('a\r\nInjected: yes').toString('base64')}?=`],
    ['=?base64?eA==?=', `=?base64?${Buffer.from('=?base64?eA==?=').toString('base64')}?=`],
  ])('carry %j safely', (name, expected) => {
    expect(toMcpHeaders('tools/call', { name }, [])['mcp-name']).toBe(expected)
  })

  test('mirror the arguments that a tool declares, where it may', () => {
    const declared = headerDeclarations(SCHEMA)
    expect(declared.map(({ header }) => header)).toEqual(['Region', 'Deep-Value'])
    const args = { region: 'eu', nested: { deep: 5 }, plain: 'p' }
    expect(toMcpHeaders('tools/call', { name: 't', arguments: args }, declared)).toEqual({
      'mcp-method': 'tools/call',
      'mcp-name': 't',
      'mcp-param-region': 'eu',
      'mcp-param-deep-value': '5',
    })
  })

  test.each([
    undefined,
    null,
    { region: null },
    { region: { a: 1 }, nested: 'x' },
    { region: Number.NaN },
    { nested: { deep: 2 ** 60 } },
  ])('leave out what is not there or not simple: %j', (args) => {
    const headers = toMcpHeaders('tools/call', { name: 't', arguments: args }, headerDeclarations(SCHEMA))
    expect(Object.keys(headers)).toEqual(['mcp-method', 'mcp-name'])
  })

  test('say nothing of schemas that are none', () => {
    for (const schema of [undefined, null, 5, [], { properties: 5 }])
      expect(headerDeclarations(schema)).toEqual([])
  })
})
