import { expect, test } from 'vitest'
import { toLink } from './to-link.ts'

test('the host of a link is where it leads, whatever it looks like', () => {
  expect(toLink('https://bank.example@evil.example:8443/x').host).toBe('evil.example:8443')
})

test.each<unknown>([
  'javascript:alert(1)',
  'data:text/html,x',
  'nowhere',
  '',
  7,
  { toString: 1 },
  `https://example.org/${'x'.repeat(2_000)}`,
])('%j is not opened', (address) => {
  expect(() => toLink(address)).toThrow('addresses of the web')
})
