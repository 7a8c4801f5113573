import { expect, test } from 'vitest'
import { toRawJson } from './raw-json.ts'

test('JSON stays as it was written, on one line', () => {
  expect(toRawJson(Buffer.from('{"n": 12345678901234567890}'))?.toString()).toBe(
    '{"n": 12345678901234567890}',
  )
  expect(toRawJson(Buffer.from('{\r\n"a":\n1}'))?.toString()).toBe('{  "a": 1}')
})

test.each(['{"a":}', '{"a":1', '{]', '', '01', '"\n"'])('%j is no JSON', (text) => {
  expect(toRawJson(Buffer.from(text))).toBeUndefined()
})

test('what is no UTF-8 is mended, whatever its length', () => {
  const broken = Buffer.from([0x22, 0xff, 0x22])
  expect(toRawJson(broken)?.toString()).toBe('"\uFFFD"')
  const long = Buffer.concat([Buffer.from(`"${'x'.repeat(70_000)}`), Buffer.from([0xff, 0x22])])
  expect(toRawJson(long)?.toString().endsWith('x\uFFFD"')).toBe(true)
})
