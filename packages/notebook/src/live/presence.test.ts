import { expect, test } from 'vitest'
import { authorOf } from './presence.ts'

test.each([
  [undefined, 'Agent'],
  [{ name: '' }, 'Agent'],
  [{ name: ' \u0000\u202e\u200b ' }, 'Agent'],
  [{ name: 'claude-code' }, 'claude-code'],
  [{ name: 'x', title: 'Data helper' }, 'Data helper'],
  [{ name: 'quire-runtime' }, 'Agent'],
  [{ name: 'quire-runtime', title: 'Analyst' }, 'Analyst'],
  [{ name: 'quire-web' }, undefined],
  [{ name: 'a\u202egnp.exe\nb\u0007c' }, 'a gnp.exe b c'],
  [{ name: '<img src=x onerror=alert(1)>' }, '<img src=x onerror=alert(1)>'],
  [{ name: '😀'.repeat(10_000) }, '😀'.repeat(60)],
])('a client that says it is %j is shown as %j', (client, name) => {
  expect(authorOf(client)).toBe(name)
})
