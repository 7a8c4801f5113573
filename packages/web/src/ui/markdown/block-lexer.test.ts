import { Lexer } from 'marked'
import { expect, test } from 'vitest'
import { createBlockLexer } from './block-lexer.ts'

const TEXT = `# Title

A paragraph with **bold**
over two lines.

- one
- two

  still two
- three

\`\`\`js
let x = 1

let y = 2
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> a quote

<b>html</b>

The end.`

test.each([1, 3, 7, 50])('a text that grows by %i characters has the same blocks as the whole', (step) => {
  const lex = createBlockLexer()
  let blocks = lex('')
  for (let end = step; end < TEXT.length + step; end += step) blocks = lex(TEXT.slice(0, end))
  const whole = new Lexer({ gfm: true, breaks: true }).lex(TEXT)
  const shown = [...blocks.finished, ...blocks.open].filter(({ type }) => type !== 'space')
  expect(shown.map(({ type, raw }) => [type, raw.trimEnd()])).toEqual(
    whole.filter(({ type }) => type !== 'space').map(({ type, raw }) => [type, raw.trimEnd()]),
  )
})

test('what is finished stays the same object', () => {
  const lex = createBlockLexer()
  const [first] = lex('one\n\ntwo').finished
  expect(first).toBeDefined()
  expect(lex('one\n\ntwo three\n\nfour').finished[0]).toBe(first)
})

test('another text begins anew', () => {
  const lex = createBlockLexer()
  lex('one\n\ntwo\n\nthree')
  const { finished, open } = lex('other')
  expect([finished.length, open.map(({ raw }) => raw)]).toEqual([0, ['other']])
})

test.each([
  ['quotes', '>'.repeat(20_000)],
  ['lists', '- '.repeat(3_000)],
  ['brackets', '['.repeat(20_000)],
  ['stars', '*a **b '.repeat(2_000)],
])('ten thousand %s do not break it', (_, text) => {
  const { finished, open } = createBlockLexer()(text)
  expect([...finished, ...open].length).toBeGreaterThan(0)
})

test.each([
  ['signs without end', '_a_'.repeat(40_000)],
  ['lists in lists', Array.from({ length: 1_000 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
  ['quotes in quotes', '> '.repeat(20_000)],
])('%s are shown as they were written', (_what, text) => {
  const { finished, open } = createBlockLexer()(text)
  expect([...finished, ...open].map(({ type }) => type)).toEqual(['text'])
})

test('long code in a fence is still code', () => {
  const text = `Before\n\n\`\`\`json\n${'["a_b"],'.repeat(5_000)}\n\`\`\`\n\nAfter *it*`
  const { finished, open } = createBlockLexer()(text)
  expect([...finished, ...open].map(({ type }) => type).filter((type) => type !== 'space')).toEqual([
    'paragraph',
    'code',
    'paragraph',
  ])
})
