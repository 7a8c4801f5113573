export interface DifferenceLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
  /** In the old text, from 1; absent for what was added. */
  readonly oldLine?: number
  /** In the new text, from 1; absent for what was removed. */
  readonly newLine?: number
}

/** Cells of the table that lines are compared in: a larger middle is shown as removed and added whole. */
const MOST_CELLS = 4_000_000

/** What was taken out and put in, line by line, with the fewest of both. */
export function differ(before: string, after: string): readonly DifferenceLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const head = countEqual(old, now)
  const tail = countEqual(old.slice(head).toReversed(), now.slice(head).toReversed())
  const [oldEnd, newEnd] = [old.length - tail, now.length - tail]
  const same = (text: string, oldIndex: number, newIndex: number): DifferenceLine => ({
    kind: 'same',
    text,
    oldLine: oldIndex + 1,
    newLine: newIndex + 1,
  })
  const middle = differMiddle(old.slice(head, oldEnd), now.slice(head, newEnd)).map((line) => ({
    ...line,
    ...(line.oldLine !== undefined && { oldLine: line.oldLine + head }),
    ...(line.newLine !== undefined && { newLine: line.newLine + head }),
  }))
  return [
    ...old.slice(0, head).map((text, index) => same(text, index, index)),
    ...middle,
    ...old.slice(oldEnd).map((text, index) => same(text, oldEnd + index, newEnd + index)),
  ]
}

function differMiddle(old: readonly string[], now: readonly string[]): readonly DifferenceLine[] {
  const lengths = old.length * now.length <= MOST_CELLS ? measure(old, now) : undefined
  const width = now.length + 1
  const lines: DifferenceLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    const [removed, added] = [old[i], now[j]]
    if (removed !== undefined && removed === added) {
      lines.push({ kind: 'same', text: removed, oldLine: ++i, newLine: ++j })
    } else if (removed !== undefined && (added === undefined || isRemovedFirst(lengths, width, i, j))) {
      lines.push({ kind: 'removed', text: removed, oldLine: ++i })
    } else {
      lines.push({ kind: 'added', text: added ?? '', newLine: ++j })
    }
  }
  return lines
}

function isRemovedFirst(lengths: Uint32Array | undefined, width: number, i: number, j: number): boolean {
  return (lengths?.[(i + 1) * width + j] ?? 0) >= (lengths?.[i * width + j + 1] ?? 0)
}

/** Of the longest run of lines that both have from there on, for each pair of places. */
function measure(old: readonly string[], now: readonly string[]): Uint32Array {
  const width = now.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        old[i] === now[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0)
  return lengths
}

function countEqual(one: readonly string[], other: readonly string[]): number {
  const index = one.findIndex((text, place) => text !== other[place])
  return index === -1 ? one.length : index
}
