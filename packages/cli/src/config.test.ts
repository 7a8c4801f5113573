import { homedir } from 'node:os'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { expect, test } from 'vitest'
import { defaultDataDir } from './config.ts'

test.each([
  ['linux', {}, join(homedir(), '.local/share/quire')],
  ['linux', { XDG_DATA_HOME: '/data/home' }, '/data/home/quire'],
  ['linux', { XDG_DATA_HOME: '' }, join(homedir(), '.local/share/quire')],
  ['darwin', {}, join(homedir(), 'Library/Application Support/Quire')],
  ['win32', {}, join(homedir(), 'AppData/Local/Quire')],
] as const)('on %s with %j data lies in %s', (platform, env, expected) => {
  verifies('ALL-DATA-5')
  expect(defaultDataDir(platform, env)).toBe(expected)
})
