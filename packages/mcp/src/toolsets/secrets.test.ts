// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are what is tested
import { expect, test } from 'vitest'
import { parseToolsets, type ToolsetsConfig } from './config.ts'
import { secretsIn } from './secrets.ts'

test('values of variables and headers are secrets, and so is what a bearer bears', () => {
  const config: ToolsetsConfig = new Map([
    ['files', { type: 'stdio', command: 'npx', args: ['--verbose'], env: { TOKEN: 'of-env' } }],
    ['plain', { type: 'stdio', command: 'npx' }],
    [
      'web',
      {
        type: 'http',
        url: 'https://example.org/mcp',
        headers: { Authorization: 'Bearer of-header', 'X-Key': 'key' },
      },
    ],
  ])
  expect(secretsIn(config)).toEqual(['of-env', 'Bearer of-header', 'of-header', 'key', 'key'])
})

test('what a variable gave is a secret wherever it went, but where a program is', () => {
  const environment = {
    KEY: 'of-argument',
    QUERY: 'of-address',
    HEAD: 'of-header',
    BIN: '/opt/tools',
    WORK: '/work',
  }
  const mcpServers = {
    files: { command: '${BIN}/files', args: ['--token=${KEY}', '${NONE:-shown}'], cwd: '${WORK}' },
    web: { url: 'https://example.org/mcp?key=${QUERY}', headers: { 'X-Key': 'v1 ${HEAD}' } },
  }
  expect(secretsIn(parseToolsets({ mcpServers }, environment))).toEqual([
    'of-argument',
    'of-address',
    'of-header',
    'v1 of-header',
    'v1 of-header',
  ])
})
