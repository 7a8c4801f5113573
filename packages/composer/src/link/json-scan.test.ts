import { describe, expect, test } from 'vitest'
import { scanAnswer } from './json-scan.ts'

const LONG = 'x'.repeat(200)

describe('the result of an answer', () => {
  test.each([
    ['the order of most servers', '{"jsonrpc":"2.0","id":7,"result":{"a":1}}', '{"a":1}'],
    ['the order of the SDK', '{"result":{"a":1},"jsonrpc":"2.0","id":7}', '{"a":1}'],
    ['another order', '{"id":7,"result":[1],"jsonrpc":"2.0"}', '[1]'],
    ['white space', ' {\t"jsonrpc" : "2.0" ,\r\n "id":7 , "result" : { "a" : 1 } } \r', '{ "a" : 1 }'],
    [
      'numbers beyond a double',
      '{"jsonrpc":"2.0","id":7,"result":{"n":12345678901234567890}}',
      '{"n":12345678901234567890}',
    ],
    ['escapes', '{"jsonrpc":"2.0","id":7,"result":{"t":"\\u00e9\\"}],\\\\"}}', '{"t":"\\u00e9\\"}],\\\\"}'],
    [
      'a long string',
      `{"jsonrpc":"2.0","id":7,"result":"${LONG}\\\\\\"}${LONG}\\\\"}`,
      `"${LONG}\\\\\\"}${LONG}\\\\"`,
    ],
    [
      'an escape where the walk ends',
      `{"jsonrpc":"2.0","id":7,"result":"${'y'.repeat(47)}\\"}${LONG}"}`,
      `"${'y'.repeat(47)}\\"}${LONG}"`,
    ],
    [
      'keys like ours inside',
      '{"jsonrpc":"2.0","id":7,"result":{"id":9,"result":{},"jsonrpc":"2.0"}}',
      '{"id":9,"result":{},"jsonrpc":"2.0"}',
    ],
    ['a word', '{"jsonrpc":"2.0","id":7,"result":null}', 'null'],
    ['a number', '{"jsonrpc":"2.0","id":7,"result":-1.5e3}', '-1.5e3'],
  ])('is found in %s', (_name, line, expected) => {
    const bytes = Buffer.from(line)
    const span = scanAnswer(bytes)
    expect(span?.id).toBe(7)
    expect(bytes.subarray(span?.start, span?.end).toString()).toBe(expected)
  })

  test.each([
    ['an error', '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}'],
    ['a request', '{"jsonrpc":"2.0","id":7,"method":"ping"}'],
    ['a notification', '{"jsonrpc":"2.0","method":"x","params":{}}'],
    ['a member beside the result', '{"jsonrpc":"2.0","id":7,"result":{},"x":1}'],
    ['a second id', '{"jsonrpc":"2.0","id":7,"result":{},"id":8}'],
    ['a second result', '{"jsonrpc":"2.0","id":7,"result":{},"result":{}}'],
    ['a key in disguise', '{"jsonrpc":"2.0","\\u0069d":7,"result":{}}'],
    ['an id that is no whole number', '{"jsonrpc":"2.0","id":7.5,"result":{}}'],
    ['a negative id', '{"jsonrpc":"2.0","id":-7,"result":{}}'],
    ['an id in quotes', '{"jsonrpc":"2.0","id":"7","result":{}}'],
    ['an id that begins with zero', '{"jsonrpc":"2.0","id":07,"result":{}}'],
    ['an endless id', `{"jsonrpc":"2.0","id":${'7'.repeat(400)},"result":{}}`],
    ['another version', '{"jsonrpc":"1.0","id":7,"result":{}}'],
    ['no version', '{"id":7,"result":{}}'],
    ['no id', '{"jsonrpc":"2.0","result":{}}'],
    ['no result', '{"jsonrpc":"2.0","id":7}'],
    ['an empty result', '{"jsonrpc":"2.0","id":7,"result":}'],
    ['an end in the middle', '{"jsonrpc":"2.0","id":7,"result":{"a":'],
    ['an end in a string', '{"jsonrpc":"2.0","id":7,"result":"a'],
    ['an end after a backslash', '{"jsonrpc":"2.0","id":7,"result":"a\\'],
    ['something behind it', '{"jsonrpc":"2.0","id":7,"result":{}}{}'],
    ['a list', '[{"jsonrpc":"2.0","id":7,"result":{}}]'],
    ['nothing', ''],
    ['no JSON', 'hello {"jsonrpc":"2.0","id":7,"result":{}}'],
    ['a result nested too deeply', `{"jsonrpc":"2.0","id":7,"result":${'['.repeat(129)}${']'.repeat(129)}}`],
  ])('is not looked for in %s', (_name, line) => {
    expect(scanAnswer(Buffer.from(line))).toBeUndefined()
  })

  test('is one value: nothing of it can become a member beside it', () => {
    const hostile = '{"jsonrpc":"2.0","id":7,"result":{"a":1},"id":99,"x":{"b":2}}'
    expect(scanAnswer(Buffer.from(hostile))).toBeUndefined()
    const unbalanced = '{"jsonrpc":"2.0","id":7,"result":{"a":1}},"id":99}'
    expect(scanAnswer(Buffer.from(unbalanced))).toBeUndefined()
  })
})
