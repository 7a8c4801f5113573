import { expect, test } from 'vitest'
import { tool } from './offers.fixture.ts'
import { suspiciousText } from './suspicious-text.ts'

test.each([
  ['a zero-width space', 'read\u200bfile'],
  ['a zero-width joiner between letters', 'read\u200dfile'],
  ['a byte order mark', '\ufeffread'],
  ['text turned round', 'read \u202eelif'],
  ['an isolate', 'read \u2066file\u2069'],
  ['letters of the tag plane', 'read\u{e0041}\u{e0042}'],
  ['a variation selector of the supplement', 'read\u{e0101}'],
  ['a private character', 'read\ue000'],
  ['an escape sequence', 'read \u001b[2K'],
  ['a null', 'read\u0000'],
  ['a control of the upper half', 'read\u009b31m'],
  ['a soft hyphen', 're\u00adad'],
])('%s is seen, wherever it stands', (_what, text) => {
  expect(suspiciousText(tool('read', text))).toBe(true)
  expect(suspiciousText(tool(text))).toBe(true)
  expect(
    suspiciousText({
      ...tool('read'),
      inputSchema: { type: 'object', properties: { path: { type: 'string', description: text } } },
    }),
  ).toBe(true)
  expect(
    suspiciousText({ ...tool('read'), inputSchema: { type: 'object', properties: { [text]: {} } } }),
  ).toBe(true)
})

test.each([
  ['plain text', 'Reads a file.'],
  ['lines and tabs', 'Reads:\r\n\t- a file\n'],
  ['other scripts', 'Читает файл, 読む, يقرأ, पढ़ना'],
  ['emoji', 'A family 👨‍👩‍👧, a flag 🏳️‍🌈, a hand 👩🏽‍💻, a heart ❤️'],
  ['accents', 'café, cafe\u0301'],
])('%s is innocent', (_what, text) => {
  expect(suspiciousText(tool('read', text))).toBe(false)
})

test('a definition without an end is suspicious, and does not hang', () => {
  const round: Record<string, unknown> = {}
  round.self = round
  expect(suspiciousText({ ...tool('read'), _meta: round })).toBe(true)
})
