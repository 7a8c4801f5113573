import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BACKENDS, type Backend, type BackendName } from './notebook-backends.fixture.ts'
import { type Answer, runSuite } from './notebook-suite.fixture.ts'

/** All that a back end says of itself. */
const OF_ITSELF = {
  opened:
    '[INFO] The notebook server has no real-time collaboration: edits are written to the file, and an open notebook page shows them when it is reloaded.\n',
  saved: '\nEvery edit is written to the file at once, so nothing was left to write.',
}
const STANDARD = "Debian's Jupyter through the contents API"
const LIVE = 'the embedded server, live'
const INSIDE = "the extension inside Debian's Jupyter"
const NAMES = Object.keys(BACKENDS) as BackendName[]

const backends: Backend[] = []
const told = new Map<BackendName, ReadonlyMap<string, Answer>>()

beforeAll(async () => {
  // Most of the time they wait.
  const outcomes = await Promise.allSettled(
    NAMES.map(async (name) => {
      const backend = await BACKENDS[name]()
      backends.push(backend)
      told.set(name, await runSuite(backend))
    }),
  )
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
})
afterAll(async () => {
  await Promise.all(backends.map((backend) => backend.stop()))
})

const answer = (name: BackendName, what: string) =>
  told.get(name)?.get(what) ?? { isError: true, text: 'it was not asked', kinds: [] }

/** What everybody must answer, in words. */
const MEANING: readonly (readonly [what: string, isError: boolean, words: RegExp])[] = [
  ['a notebook that is not there', true, /was not found.*mode create/],
  ['create again', true, /already exists/],
  ['insert out of range', true, /Index 99 is out of range/],
  ['read', false, /0\tcode.*a = 20.*\n1\traw.*\n2\tmarkdown/],
  ['an edit of what has changed', true, /Cell 1 was changed by somebody else.*-a = 21\n\+a = 22/s],
  ['an edit beside it', false, /overwritten successfully.*somebody else has changed this notebook/s],
  ['an index that has moved', true, /Cell 2 was deleted or changed by somebody else/],
  ['insert and execute', false, /^out\n\nerr\n\n42\n/],
  ['an error', false, /^before\n.*----> 2 1 \/ 0\nZeroDivisionError: division by zero/s],
  ['code beside the notebook', false, /^22\n\n44$/],
  ['one variable', false, /^a: int\n22$/],
  ['a timeout', true, /^it has begun\n.*KeyboardInterrupt.*TIMEOUT ERROR: Execution exceeded 2 seconds/s],
  ['after the timeout', false, /^22$/],
  ['run some', false, /STOPPED at cell 3.*NOT RUN: cell\(s\) 2/s],
  ['what was interrupted', false, /^it has begun\n.*KeyboardInterrupt/s],
  ['after the restart', false, /NameError: name 'a' is not defined/],
  ['rename', false, /renamed successfully to 'renamed.ipynb'. In use and moved along: n/],
  ['let go', false, /was shut down/],
]

test.each(MEANING)('%s', (what, isError, words) => {
  const { text, ...rest } = answer(STANDARD, what)
  expect(text).toMatch(words)
  expect(rest.isError).toBe(isError)
})

test('a picture is shown as one', () => {
  expect(answer(STANDARD, 'a picture').kinds).toContain('image')
  expect(answer(STANDARD, 'read the picture').kinds).toContain('image')
})

describe.each(NAMES.filter((name) => name !== STANDARD))('%s', (name) => {
  test('answers every call in the same words', () => {
    expect([...(told.get(name)?.keys() ?? [])]).toEqual([...(told.get(STANDARD)?.keys() ?? [])])
    for (const [what, standard] of told.get(STANDARD) ?? []) {
      const { text, ...rest } = answer(name, what)
      expect({ what, text: withoutSelf(text), ...rest }).toEqual({
        what,
        ...standard,
        text: withoutSelf(standard.text),
      })
    }
  })

  test('says of itself whether others see edits at once', () => {
    const isPlain = name !== LIVE
    expect(answer(name, 'create').text.includes(OF_ITSELF.opened)).toBe(isPlain)
    expect(answer(name, 'save').text.includes(OF_ITSELF.saved)).toBe(isPlain)
  })
})

test('inside a notebook server, timeouts and tracebacks are as they are in front of one', () => {
  verifies('NB-EXT-16', 'NB-EXT-17')
  for (const what of ['a timeout', 'after the timeout', 'an error', 'code that fails'])
    expect(answer(INSIDE, what)).toEqual(answer(STANDARD, what))
})

function withoutSelf(text: string): string {
  return text.replace(OF_ITSELF.opened, '').replace(OF_ITSELF.saved, '')
}
