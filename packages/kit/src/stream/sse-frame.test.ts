import { describe, expect, test } from 'vitest'
import { encodeSse, lastEventId } from './sse-frame.ts'

describe('encodeSse', () => {
  test.each([
    [{ data: 'hello' }, 'data: hello\n\n'],
    [{ data: '' }, 'data: \n\n'],
    [{ id: 7, event: 'task', data: '{}' }, 'id: 7\nevent: task\ndata: {}\n\n'],
    [{ id: 0, data: 'x' }, 'id: 0\ndata: x\n\n'],
    [{ data: 'a\nb' }, 'data: a\ndata: b\n\n'],
    [{ data: 'a\r\nb\rc\n\nd' }, 'data: a\ndata: b\ndata: c\ndata: \ndata: d\n\n'],
    [{ data: 'x\n\nid: 9\nevent: forged' }, 'data: x\ndata: \ndata: id: 9\ndata: event: forged\n\n'],
    [{ id: '1\n\ndata: forged', event: 'a\r\nb\0', data: 'x' }, 'id: 1data: forged\nevent: ab\ndata: x\n\n'],
    [{ data: 'naïve 日本 \u2028 😀' }, 'data: naïve 日本 \u2028 😀\n\n'],
  ])('%j', (message, frame) => {
    expect(encodeSse(message)).toBe(frame)
  })
})

describe('lastEventId', () => {
  test.each([
    ['0', 0],
    ['42', 42],
    ['999999999999999', 999_999_999_999_999],
    [undefined, undefined],
    ['', undefined],
    ['-1', undefined],
    ['007', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['1, 2', undefined],
    ['abc', undefined],
    ['9007199254740993', undefined],
    ['9'.repeat(10_000), undefined],
    ['NaN', undefined],
  ])('%j is %j', (header, expected) => {
    const headers = new Headers(header === undefined ? {} : { 'last-event-id': header })
    expect(lastEventId({ headers })).toBe(expected)
  })
})
