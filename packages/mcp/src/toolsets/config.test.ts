// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are what is tested
import { expect, test } from 'vitest'
import { parseToolsets, parseToolsetsJson, ToolsetsConfigError } from './config.ts'

const environment = { TOKEN: 's3cret', EMPTY: '', BASE: 'https://tools.example', NEWLINE: 'a\r\nb' }

function parse(mcpServers: unknown) {
  return Object.fromEntries(parseToolsets({ mcpServers }, environment))
}

test('reads programs and remotes, with their variables', () => {
  const servers = {
    files: {
      command: 'npx',
      args: ['-y', 'files', '${HOME:-/home}'],
      env: { KEY: 'x-${TOKEN}' },
      cwd: '/work',
    },
    plain: { type: 'stdio', command: 'server', timeoutMs: 1000, toolTimeouts: { slow: 60_000 } },
    remote: { url: '${BASE}/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
    streamed: { type: 'streamable-http', url: 'http://localhost:1/sse' },
    old: { type: 'sse', url: 'http://localhost:1/events' },
    guessed: { url: 'http://localhost:1/sse' },
  }
  expect(parse(servers)).toEqual({
    files: {
      type: 'stdio',
      command: 'npx',
      args: ['-y', 'files', '/home'],
      env: { KEY: 'x-s3cret' },
      cwd: '/work',
      secrets: ['s3cret'],
    },
    plain: {
      type: 'stdio',
      command: 'server',
      args: [],
      env: {},
      timeoutMs: 1000,
      toolTimeouts: { slow: 60_000 },
    },
    remote: {
      type: 'http',
      url: 'https://tools.example/mcp',
      headers: { Authorization: 'Bearer s3cret' },
      secrets: ['https://tools.example', 's3cret'],
    },
    streamed: { type: 'http', url: 'http://localhost:1/sse', headers: {} },
    old: { type: 'sse', url: 'http://localhost:1/events', headers: {} },
    guessed: { type: 'sse', url: 'http://localhost:1/sse', headers: {} },
  })
})

test.each([
  ['${TOKEN}', 's3cret'],
  ['a${TOKEN}b${TOKEN}c', 'as3cretbs3cretc'],
  ['${NONE:-there}', 'there'],
  ['${NONE:-}', ''],
  ['${EMPTY:-full}', 'full'],
  ['${EMPTY}', ''],
  ['${TOKEN:-unused}', 's3cret'],
  ['${NONE:-a:-b c}', 'a:-b c'],
  ['$TOKEN $ {TOKEN} }', '$TOKEN $ {TOKEN} }'],
])('%s becomes "%s"', (text, expected) => {
  expect(parse({ a: { command: 'x', args: [text] } })).toMatchObject({ a: { args: [expected] } })
})

test.each<[string, unknown, string]>([
  ['an unset variable', { a: { command: '${NONE}' } }, 'server "a": the variable NONE is not set'],
  ['an unset variable in env', { a: { command: 'x', env: { K: '${NONE}' } } }, 'NONE is not set'],
  ['an unset variable in a URL', { a: { url: '${NONE}/mcp' } }, 'NONE is not set'],
  ['an unset variable in a header', { a: { url: 'http://x', headers: { k: '${NONE}' } } }, 'NONE is not set'],
  ['no time at all', { a: { command: 'x', timeoutMs: 0 } }, '"timeoutMs"'],
  ['a time in words', { a: { url: 'http://x', toolTimeouts: { t: '5s' } } }, '"toolTimeouts.t"'],
  ['an open reference', { a: { command: '${TOKEN' } }, 'is no variable'],
  ['an empty reference', { a: { command: '${}' } }, 'is no variable'],
  ['a name with a space', { a: { command: '${A B}' } }, 'is no variable'],
  ['a name of an object', { a: { command: '${__proto__}' } }, '__proto__ is not set'],
  ['another name of an object', { a: { command: '${constructor}' } }, 'constructor is not set'],
  ['neither command nor url', { a: {} }, 'needs "command" or "url"'],
  ['both command and url', { a: { command: 'x', url: 'http://x' } }, 'which one is it'],
  ['a list', { a: [] }, 'must be an object'],
  ['null', { a: null }, 'must be an object'],
  ['an unknown key', { a: { command: 'x', comand: 'y' } }, 'the unknown key "comand"'],
  ['a key of the other kind', { a: { url: 'http://x', args: [] } }, 'the unknown key "args"'],
  ['an empty command', { a: { command: '' } }, '"command" is empty'],
  ['a command that is a list', { a: { command: ['x'] } }, '"command" must be of type string'],
  [
    'a number among the arguments',
    { a: { command: 'x', args: ['a', 1] } },
    '"args.1" must be of type string',
  ],
  ['a NUL among the arguments', { a: { command: 'x', args: ['a\0b'] } }, '"args.0" holds a NUL'],
  ['a number in env', { a: { command: 'x', env: { PORT: 1 } } }, '"env.PORT" must be of type string'],
  ['a bad name in env', { a: { command: 'x', env: { 'A=B': '1' } } }, 'is no name of a variable'],
  ['a wrong type', { a: { type: 'ws', url: 'http://x' } }, '"type" must be one of'],
  ['no URL', { a: { url: 'tools' } }, '"url" is no URL'],
  ['a file URL', { a: { url: 'file:///etc/passwd' } }, 'must begin with http'],
  ['a script URL', { a: { url: 'javascript:alert(1)' } }, 'must begin with http'],
  ['a password in the URL', { a: { url: 'http://me:pw@x/' } }, 'holds a password'],
  ['a bad header name', { a: { url: 'http://x', headers: { 'a b': '1' } } }, 'is no name of a header'],
  ['a header with a line break', { a: { url: 'http://x', headers: { k: '${NEWLINE}' } } }, 'cannot have'],
  ['a bad name of a server', { 'a b': { command: 'x' } }, 'server "a b": the name may hold'],
  ['a name that is too long', { ['a'.repeat(65)]: { command: 'x' } }, 'the name may hold'],
  ['a name of an object as a server', JSON.parse('{"__proto__": {"command": "x"}}'), 'the name may hold'],
])('refuses %s', (_name, servers, sentence) => {
  const refused = () => parse(servers)
  expect(refused).toThrow(ToolsetsConfigError)
  expect(refused).toThrow(sentence)
})

test.each<[string, string, string]>([
  ['no JSON', '{', 'is not valid JSON'],
  ['an empty file', '', 'is not valid JSON'],
  ['a list', '[]', 'the file must be of type object'],
  ['no servers', '{}', '"mcpServers" must be an object of servers'],
  ['an unknown key', '{"mcpServers": {}, "servers": {}}', 'the file has the unknown key "servers"'],
])('refuses a file with %s', (_name, text, sentence) => {
  expect(() => parseToolsetsJson(text, environment)).toThrow(sentence)
})

test('tells of all faults at once, and of no secret', () => {
  const servers = {
    a: { command: '${ONE}', args: ['${TWO}'] },
    b: { url: 'ftp://${TOKEN}' },
    c: { comand: 'x' },
    good: { command: 'x' },
  }
  try {
    parse(servers)
    expect.unreachable()
  } catch (error) {
    if (!(error instanceof ToolsetsConfigError)) throw error
    expect(error.faults).toHaveLength(4)
    expect(error.message).not.toContain('s3cret')
  }
})

test('a file without servers is an empty set', () => {
  expect(parseToolsetsJson('{"$schema": "x", "mcpServers": {}}', environment).size).toBe(0)
})
