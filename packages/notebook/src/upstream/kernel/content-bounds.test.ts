import { expect, test } from 'vitest'
import { toContent } from './content-bounds.ts'

const MEBIBYTE = 1024 * 1024
const never = () => {
  throw new Error('it was parsed')
}

test.each([
  ['stream', 9 * MEBIBYTE],
  ['display_data', 10 * MEBIBYTE],
  ['execute_reply', 2 * MEBIBYTE],
  ['status', 500],
  ['comm_open', MEBIBYTE],
])('%s of %i bytes is parsed', (type, bytes) => {
  const header = { msg_type: type }
  expect(toContent(header, bytes, () => 'parsed')).toEqual({ header, content: 'parsed' })
})

test.each([
  ['status', 2 * MEBIBYTE],
  ['comm_open', 90 * MEBIBYTE],
  ['execute_reply', 11 * MEBIBYTE],
  [undefined, 2 * MEBIBYTE],
  [{}, 2 * MEBIBYTE],
])('%s of %i bytes is not even parsed', (type, bytes) => {
  const header = { msg_type: type }
  expect(toContent(header, bytes, never)).toEqual({ header, content: {} })
})

test.each(['stream', 'display_data', 'execute_result', 'error', 'update_display_data'])(
  'a %s that is too large becomes a line that says so',
  (type) => {
    const { header, content } = toContent({ msg_type: type, msg_id: 'm' }, 11 * MEBIBYTE, never)
    expect(header).toEqual({ msg_type: 'stream', msg_id: 'm' })
    expect(content).toMatchObject({
      name: 'stderr',
      text: expect.stringMatching(/an output of 11534336 bytes was left out.*save/),
    })
  },
)
