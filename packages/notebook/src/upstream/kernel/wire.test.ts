import { describe, expect, test } from 'vitest'
import { createMessage, type Decoded, type KernelMessage } from './message.ts'
import { decodeJson, encodeJson } from './wire-json.ts'
import { decodeV1, encodeV1 } from './wire-v1.ts'

const plain = createMessage({
  channel: 'shell',
  type: 'execute_request',
  session: 's',
  content: { code: 'print("é 😀")', silent: false },
  parentHeader: { msg_id: 'p' },
})
const withBuffers: KernelMessage = {
  ...plain,
  channel: 'iopub',
  buffers: [Buffer.from([0, 255, 7]), Buffer.alloc(0), Buffer.from('x')],
}

const WIRES: [
  string,
  (message: KernelMessage) => string | Buffer,
  (frame: Buffer, isBinary: boolean) => Decoded,
][] = [
  ['v1', encodeV1, decodeV1],
  ['JSON', encodeJson, decodeJson],
]

describe.each(WIRES)('the %s frames', (_name, encode, decode) => {
  test.each([
    ['without buffers', plain],
    ['with buffers', withBuffers],
  ])('carry a message %s', (_case, message) => {
    const frame = encode(message)
    const decoded = decode(Buffer.from(frame), typeof frame !== 'string')
    expect(decoded).toEqual({
      message: { ...message, buffers: message.buffers.map((buffer) => Buffer.from(buffer)) },
    })
  })

  test('survive every cut and every flipped byte of a real frame', () => {
    const frame = Buffer.from(encode(withBuffers))
    for (let length = 0; length < frame.length; length += 1) {
      expect(() => decode(frame.subarray(0, length), true)).not.toThrow()
    }
    for (let index = 0; index < frame.length; index += 1) {
      const hurt = Buffer.from(frame)
      hurt.writeUInt8(hurt.readUInt8(index) ^ 0xff, index)
      expect(() => decode(hurt, true)).not.toThrow()
    }
  })
})

test('v1 frames are laid out as servers read them', () => {
  const frame = encodeV1(withBuffers)
  const count = Number(frame.readBigUInt64LE(0))
  const offsets = Array.from({ length: count }, (_, index) => Number(frame.readBigUInt64LE(8 * (index + 1))))
  expect(count).toBe(9)
  expect(offsets[0]).toBe(8 * 10)
  expect(offsets.at(-1)).toBe(frame.length)
  expect(frame.toString('utf8', offsets[0], offsets[1])).toBe('iopub')
  expect(JSON.parse(frame.toString('utf8', offsets[4], offsets[5]))).toEqual(withBuffers.content)
})

const HOSTILE_V1: [string, Buffer, RegExp][] = [
  ['nothing', Buffer.alloc(0), /shorter than its own table/],
  ['seven bytes', Buffer.alloc(7), /shorter than its own table/],
  ['no offsets', words(0), /0 offsets/],
  ['too few offsets', words(5, 48, 48, 48, 48, 48), /5 offsets/],
  ['a count beyond the frame', words(6, 8), /shorter than its own table/],
  ['a count that would take all memory', words(2n ** 64n - 1n), /shorter than its own table/],
  ['an offset into the table', words(6, 8, 56, 56, 56, 56, 56), /into the table/],
  ['offsets that go back', words(6, 56, 60, 58, 60, 60, 60, 0), /out of order/],
  ['an offset beyond the end', words(6, 56, 56, 56, 56, 56, 2n ** 63n), /out of bounds/],
  ['empty parts', words(6, 56, 56, 56, 56, 56, 56), /not JSON/],
  ['JSON that is none', build('iopub', '{', '{}', '{}', '{}'), /not JSON/],
  [
    'a channel that nobody knows',
    build('sideways', '{"msg_id":"a","msg_type":"b","session":"c"}', '{}', '{}', '{}'),
    /no channel/,
  ],
  ['a header that is a list', build('iopub', '[]', '{}', '{}', '{}'), /header/],
  ['a header without an id', build('iopub', '{"msg_type":"b","session":"c"}', '{}', '{}', '{}'), /header/],
]

test.each(HOSTILE_V1)('a v1 frame of %s is a fault', (_name, frame, why) => {
  expect(decodeV1(frame)).toEqual({ fault: expect.stringMatching(why) })
})

const HOSTILE_JSON: [string, Buffer, boolean, RegExp][] = [
  ['nothing', Buffer.alloc(0), false, /not JSON/],
  ['half a text', Buffer.from('{"channel":"iop'), false, /not JSON/],
  ['a list', Buffer.from('[]'), false, /no JSON object/],
  ['null', Buffer.from('null'), false, /no JSON object/],
  ['no channel', Buffer.from('{"header":{}}'), false, /no channel/],
  ['no header', Buffer.from('{"channel":"shell"}'), false, /header/],
  ['three bytes', Buffer.alloc(3), true, /shorter/],
  ['no parts', Buffer.alloc(4), true, /does not fit/],
  ['more parts than bytes', Buffer.from([0xff, 0xff, 0xff, 0xff]), true, /does not fit/],
  ['an offset beyond the end', Buffer.from([0, 0, 0, 1, 0, 0, 0, 99]), true, /out of bounds/],
  ['an offset into the table', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]), true, /out of bounds/],
]

test.each(HOSTILE_JSON)('a JSON frame of %s is a fault', (_name, frame, isBinary, why) => {
  expect(decodeJson(frame, isBinary)).toEqual({ fault: expect.stringMatching(why) })
})

test('what a message lacks beside its header is empty', () => {
  const frame = build('iopub', '{"msg_id":"a","msg_type":"b","session":"c"}', 'null', '[]', '7')
  expect(decodeV1(frame)).toMatchObject({ message: { parentHeader: {}, metadata: {}, content: {} } })
})

function words(...values: (number | bigint)[]): Buffer {
  const frame = Buffer.alloc(8 * values.length)
  for (const [index, value] of values.entries()) frame.writeBigUInt64LE(BigInt(value), 8 * index)
  return frame
}

function build(...parts: string[]): Buffer {
  const offsets = [8 * (parts.length + 2)]
  for (const part of parts) offsets.push((offsets.at(-1) ?? 0) + part.length)
  return Buffer.concat([words(offsets.length, ...offsets), Buffer.from(parts.join(''))])
}
