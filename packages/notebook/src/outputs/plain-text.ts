import { stripAnsi } from './ansi.ts'

const CSI = '(?:\u001b\\[|\u009b)'
const ERASE_REST = new RegExp(`${CSI}0?K`, 'g')
const ERASE_LINE = new RegExp(`${CSI}2K`, 'g')
/** Stands for "erase the rest of the line" while the other sequences are removed. */
const ERASE = '\0'
const MOVES = new RegExp(`[\\r\\u0008${ERASE}]`)
/** Control characters that nothing is seen of on a terminal. */
const UNSEEN = /[^\P{Cc}\t\n\v\f\u0085]/gu

/** What a terminal would show: no escape sequences, and of a line that was written over and over (a progress bar) only the last state. */
export function toPlainText(text: string): string {
  const marked = text.replaceAll(ERASE, '').replace(ERASE_REST, ERASE).replace(ERASE_LINE, `\r${ERASE}`)
  const stripped = stripAnsi(marked)
  const shown = MOVES.test(stripped) ? stripped.split('\n').map(renderLine).join('\n') : stripped
  return shown.replace(UNSEEN, '').toWellFormed()
}

function renderLine(line: string): string {
  if (!MOVES.test(line)) return line
  const cells: string[] = []
  let cursor = 0
  for (const character of line) {
    if (character === '\r') cursor = 0
    else if (character === '\b') cursor = Math.max(0, cursor - 1)
    else if (character === ERASE) cells.length = cursor
    else {
      cells[cursor] = character
      cursor += 1
    }
  }
  return cells.join('')
}
