import { expect, test } from 'vitest'
import type { Output } from '../document/nbformat.ts'
import { newestText } from './newest-text.ts'

const stream = (text: string): Output => ({ output_type: 'stream', name: 'stdout', text })
const display = (data: Record<string, unknown>): Output => ({
  output_type: 'display_data',
  data,
  metadata: {},
})

test.each([
  ['the last line', stream('one\ntwo\n\n'), 'two'],
  ['the last state of a progress bar', stream('10%\r 50%\r100%'), '100%'],
  ['text without colours', stream('\u001b[31mred\u001b[0m\n'), 'red'],
  ['the end of a long line', stream(`${'x'.repeat(5_000)}end`), `…${'x'.repeat(197)}end`],
  ['nothing of nothing', stream(''), ''],
  ['an error by name', { output_type: 'error', ename: 'E', evalue: 'v', traceback: [] } as Output, 'E: v'],
  ['a display by its text', display({ 'text/plain': '<Figure>', 'image/png': 'AAAA' }), '<Figure>'],
  ['a display without text by its types', display({ 'image/png': 'AAAA' }), '[image/png]'],
])('shows %s', (_name, output, text) => {
  expect(newestText(output)).toBe(text)
})
