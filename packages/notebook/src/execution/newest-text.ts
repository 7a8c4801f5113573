import type { Output } from '../document/nbformat.ts'
import { toPlainText } from '../outputs/plain-text.ts'

const TAIL = 2_000
const LONGEST = 200

/** One short line of an output, for people who wait. */
export function newestText(output: Output): string {
  const line = toPlainText(textOf(output).slice(-TAIL)).trimEnd().split('\n').at(-1) ?? ''
  return line.length > LONGEST ? `…${line.slice(-LONGEST)}` : line
}

function textOf(output: Output): string {
  switch (output.output_type) {
    case 'stream':
      return output.text
    case 'error':
      return `${output.ename}: ${output.evalue}`
    default: {
      const text = output.data['text/plain']
      return typeof text === 'string' ? text : `[${Object.keys(output.data).join(', ')}]`
    }
  }
}
