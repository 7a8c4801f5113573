import { describe, expect, test } from 'vitest'
import { createAddressReader } from './agent-address.ts'

const ALLOWED = 'http://agents.example:8765/api/v1/agents/'
const read = createAddressReader([
  { url: ALLOWED, key: 'key-1' },
  { url: 'https://up.example/runtime/api/v1/agents' },
])

test.each([
  ['http://agents.example:8765/api/v1/agents/guide', 'http://agents.example:8765/api/v1/'],
  ['http://agents.example:8765/api/v1/agents/guide/', 'http://agents.example:8765/api/v1/'],
  ['HTTP://AGENTS.example:8765/api/v1/agents/guide', 'http://agents.example:8765/api/v1/'],
  ['https://up.example/runtime/api/v1/agents/guide', 'https://up.example/runtime/api/v1/'],
  ['https://up.example:443/runtime/api/v1/agents/guide', 'https://up.example/runtime/api/v1/'],
])('%s may be asked', (url, base) => {
  expect(read(url)).toMatchObject({
    promptUrl: `${base}agents/guide/prompt`,
    conversationsUrl: `${base}conversations/`,
    key: base.startsWith('http:') ? 'key-1' : undefined,
  })
})

test.each([
  '',
  'guide',
  'agents.example:8765/api/v1/agents/guide',
  '//agents.example:8765/api/v1/agents/guide',
  'https://agents.example:8765/api/v1/agents/guide',
  'http://agents.example/api/v1/agents/guide',
  'http://agents.example:87650/api/v1/agents/guide',
  'http://agents.example.evil.test:8765/api/v1/agents/guide',
  'http://evil.test/http://agents.example:8765/api/v1/agents/guide',
  'http://agents.example:8765@evil.test/api/v1/agents/guide',
  'http://user:secret@agents.example:8765/api/v1/agents/guide',
  'http://@agents.example:8765/api/v1/agents/guide',
  'http://evil.test#@agents.example:8765/api/v1/agents/guide',
  'http://evil.test\\@agents.example:8765/api/v1/agents/guide',
  'http:\\\\agents.example:8765\\api\\v1\\agents\\guide',
  'http:/agents.example:8765/api/v1/agents/guide',
  'http:agents.example:8765/api/v1/agents/guide',
  'file:///api/v1/agents/guide',
  'ftp://agents.example:8765/api/v1/agents/guide',
  'javascript:alert(1)//agents.example:8765/api/v1/agents/guide',
  'http://agents.example:8765/api/v1/agents',
  'http://agents.example:8765/api/v1/agents/',
  'http://agents.example:8765/api/v1/agents//',
  'http://agents.example:8765/api/v1/agents/.',
  'http://agents.example:8765/api/v1/agents/..',
  'http://agents.example:8765/api/v1/agents/...',
  'http://agents.example:8765/api/v1/agents/../agents/guide',
  'http://agents.example:8765/api/v1/agents/../../admin',
  'http://agents.example:8765/api/v1/agents/%2e%2e/%2e%2e/admin',
  'http://agents.example:8765/api/v1/agents/x%2f..%2fadmin',
  'http://agents.example:8765/api/v1/agents/a/b',
  'http://agents.example:8765/api/v1/agents/a/prompt',
  'http://agents.example:8765/api/v1/agents/guide?x=1',
  'http://agents.example:8765/api/v1/agents/guide?',
  'http://agents.example:8765/api/v1/agents/guide#x',
  'http://agents.example:8765/api/v1/agentsguide',
  'http://agents.example:8765/api/v1/AGENTS/guide',
  'http://agents.example:8765//api/v1/agents/guide',
  'http://agents.example:8765/api/v1/agents/gui de',
  ' http://agents.example:8765/api/v1/agents/guide',
  'http://agents.example:8765/api/v1/agents/guide\n',
  'http://agents.example:8765/api/v1/agents/gu\tide',
  'ht\ntp://agents.example:8765/api/v1/agents/guide',
  'http://agents.example:8765/api/v1/agents/guidé',
  'http://аgents.example:8765/api/v1/agents/guide',
  'http://agents。example:8765/api/v1/agents/guide',
  'http://agents.example:8765/api/v1/agents/\u0000',
  `http://agents.example:8765/api/v1/agents/${'x'.repeat(65)}`,
  `http://agents.example:8765/api/v1/agents/${'x'.repeat(5_000)}`,
  'http://[::1]:8765/api/v1/agents/guide',
  'http://127.1:8765/api/v1/agents/guide',
  'http://up.example/runtime/api/v1/agents/guide',
  'https://up.example/runtime/api/v1/agents-of-others/guide',
])('%j may not', (url) => {
  const address = read(url)
  expect(address).toEqual({ refusal: expect.stringMatching(/\.$/) })
  expect(JSON.stringify(address).length).toBeLessThan(600)
  expect(JSON.stringify(address)).not.toMatch(/key-1|secret/)
})

test('where nothing is allowed, nothing is', () => {
  expect(createAddressReader([])(`${ALLOWED}guide`)).toMatchObject({
    refusal: expect.stringContaining('none'),
  })
})

describe('what is allowed is looked at when it is set up', () => {
  test.each([
    '',
    'agents.example',
    'http://agents.example/',
    'http://agents.example/api/v1/',
    'http://key@agents.example/api/v1/agents/',
    'http://agents.example/api/v1/agents/?key=1',
    'http://agents.example/api/../agents/',
    'ftp://agents.example/api/v1/agents/',
    'http://agents.example/api/v1/agents/guide',
  ])('%j', (url) => {
    expect(() => createAddressReader([{ url, key: 'secret-key' }])).toThrow(/ends with "\/agents\/"/)
  })
})
