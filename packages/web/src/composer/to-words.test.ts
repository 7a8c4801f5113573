import { expect, test } from 'vitest'
import { toWords } from './to-words.ts'

test.each([
  ['', []],
  ['node', ['node']],
  [' node  /a/b.ts  --x ', ['node', '/a/b.ts', '--x']],
  ['sh -c "echo one two" \'a b\' ""', ['sh', '-c', 'echo one two', 'a b', '']],
  ['node\n/a folder/b.ts\n\n--x y', ['node', '/a folder/b.ts', '--x y']],
])('%j', (text, words) => {
  expect(toWords(text)).toEqual(words)
})
