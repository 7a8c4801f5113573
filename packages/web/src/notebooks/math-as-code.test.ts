import { expect, test } from 'vitest'
import { mathAsCode } from './math-as-code.ts'

test.each([
  ['no formula', 'no formula'],
  ['Let $a_1 * b_2$ be.', 'Let ` a_1 * b_2 ` be.'],
  ['$x$ and $y$', '` x ` and ` y `'],
  ['It costs $5 and $6.', 'It costs $5 and $6.'],
  ['It costs \\$5$ or so', 'It costs \\$5$ or so'],
  ['\\(x_i\\) too', '` x_i ` too'],
  ['$a`b$', '`` a`b ``'],
  ['`$x$` is code', '`$x$` is code'],
  ['```\n$x$\n```\nand $y$', '```\n$x$\n```\nand ` y `'],
  ['~~~ sh\necho $A $B\n~~~', '~~~ sh\necho $A $B\n~~~'],
  ['    $indented$', '    $indented$'],
  ['$$\n\\sum_i x_i\n$$', '\n\n```\n\\sum_i x_i\n```\n\n'],
  ['\\[ a \\]', '\n\n```\na\n```\n\n'],
  ['$not\nclosed', '$not\nclosed'],
  ['```\nnever closed $x$', '```\nnever closed $x$'],
])('%j', (text, expected) => {
  expect(mathAsCode(text)).toBe(expected)
})

test('whatever it is given, it comes to an end', () => {
  for (const part of ['$', '$$', '`', '\\(', '\\[', '```\n', '$a', '    $'])
    expect(mathAsCode(part.repeat(20_000)).length).toBeGreaterThan(0)
})
