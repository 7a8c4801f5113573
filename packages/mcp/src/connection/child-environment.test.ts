import { expect, test } from 'vitest'
import { toChildEnvironment } from './child-environment.ts'

test('a server sees the few names every program needs, and what it was given', () => {
  const ours = {
    PATH: '/bin',
    HOME: '/home/me',
    LANG: 'C',
    API_KEY: 'secret',
    NODE_OPTIONS: '--inspect',
    USER: undefined,
  }
  expect(toChildEnvironment(ours, { OWN: 'value', LANG: 'de' })).toEqual({
    PATH: '/bin',
    HOME: '/home/me',
    LANG: 'de',
    OWN: 'value',
  })
})
