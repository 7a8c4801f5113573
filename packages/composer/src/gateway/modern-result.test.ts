import { expect, test } from 'vitest'
import { readInputRequired, toModernResult } from './modern-result.ts'

test.each([
  ['{"content":[]}', '{"resultType":"complete","content":[]}'],
  ['{}', '{"resultType":"complete"}'],
  [' \n\t{ \r\n }', '{"resultType":"complete" \r\n }'],
  ['{ "a" : 1.0 }', '{"resultType":"complete", "a" : 1.0 }'],
  ['{"big":12345678901234567890}', '{"resultType":"complete","big":12345678901234567890}'],
  ['[]', '[]'],
  ['null', 'null'],
  ['', ''],
])('%j becomes %j, and the rest of it stays as it was written', (result, expected) => {
  expect(toModernResult('tools/call', Buffer.from(result)).toString()).toBe(expected)
})

test('a result that may be kept says for how long and by whom', () => {
  expect(toModernResult('resources/read', Buffer.from('{"contents":[]}')).toString()).toBe(
    '{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[]}',
  )
})

test.each([
  '{"resultType":"input_required","requestState":"x"}',
  '{"content":[],"resultType":"foo"}',
  '{"nested":{"resultType":"foo"}}',
])('no key stands twice in %s', (result) => {
  const text = toModernResult('tools/call', Buffer.from(result)).toString()
  expect(JSON.parse(text)).toEqual({ ...JSON.parse(result), resultType: 'complete' })
  expect(text.match(/"resultType":"(complete|input_required)"/g)).toEqual(['"resultType":"complete"'])
})

test('bytes that are no JSON are left to whoever gets them', () => {
  const broken = Buffer.from('{"resultType": oops "input_required"')
  expect(toModernResult('tools/call', broken)).toBe(broken)
  expect(readInputRequired(broken)).toBeUndefined()
})

test.each([
  ['{"content":[{"type":"text","text":"\\"input_required\\""}]}', undefined],
  ['{"content":[],"structuredContent":{"resultType":"input_required"}}', undefined],
  ['["input_required"]', undefined],
  ['{"resultType":"input_required"}', { inputRequests: {}, requestState: undefined }],
  [
    '{"requestState":"s","inputRequests":{"q":{"method":"roots/list"}},"resultType" : "input_required"}',
    { inputRequests: { q: { method: 'roots/list' } }, requestState: 's' },
  ],
])('whether %s asks for input', (result, expected) => {
  expect(readInputRequired(Buffer.from(result))).toEqual(expected)
})
