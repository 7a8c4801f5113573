const STEP = '    '

export interface Indented {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Of a caret: up to the next step. Of a selection: all of its lines, one step on or back. */
export function toIndented(text: string, start: number, end: number, isBack: boolean): Indented {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  if (!isBack && start === end) {
    const added = STEP.slice((start - lineStart) % STEP.length)
    return {
      text: text.slice(0, start) + added + text.slice(end),
      start: start + added.length,
      end: end + added.length,
    }
  }
  const nextLine = text.indexOf('\n', end)
  const lineEnd = nextLine === -1 ? text.length : nextLine
  const lines = text.slice(lineStart, lineEnd).split('\n')
  const changed = lines.map((line) =>
    isBack ? line.replace(/^(?:\t| {1,4})/, '') : line === '' ? line : STEP + line,
  )
  const inside = changed.join('\n')
  const first = (changed[0]?.length ?? 0) - (lines[0]?.length ?? 0)
  const added = inside.length - (lineEnd - lineStart)
  return {
    text: text.slice(0, lineStart) + inside + text.slice(lineEnd),
    start: Math.max(lineStart, start + first),
    end: Math.max(lineStart, end + added),
  }
}
