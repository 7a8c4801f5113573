import { expect, test } from 'vitest'
import { absoluteAddress, publicAddress } from './public-address.ts'

const ASKED = 'http://127.0.0.1:8765/api/v1/a2a/agents'

test.each([
  [undefined, '/api/v1/x', 'http://127.0.0.1:8765/api/v1/x'],
  ['', '/api/v1/x', 'http://127.0.0.1:8765/api/v1/x'],
  ['/', '/api/v1/x', 'http://127.0.0.1:8765/api/v1/x'],
  ['/runtime', '/runtime/api/v1/x', 'http://127.0.0.1:8765/runtime/api/v1/x'],
  ['/runtime/', '/runtime/api/v1/x', 'http://127.0.0.1:8765/runtime/api/v1/x'],
  ['https://a.example', 'https://a.example/api/v1/x', 'https://a.example/api/v1/x'],
  ['https://a.example/b//', 'https://a.example/b/api/v1/x', 'https://a.example/b/api/v1/x'],
])('behind %s', (publicUrl, address, absolute) => {
  expect(publicAddress(publicUrl, '/api/v1/x')).toBe(address)
  expect(absoluteAddress(publicUrl, '/api/v1/x', ASKED)).toBe(absolute)
})
