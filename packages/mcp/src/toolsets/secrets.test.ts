import { expect, test } from 'vitest'
import type { ToolsetsConfig } from './config.ts'
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
