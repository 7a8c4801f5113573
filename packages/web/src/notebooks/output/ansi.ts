/** A stretch of text that looks the same all over. */
export interface Stretch {
  readonly text: string
  readonly className: string
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how terminals are told what to do
const SEQUENCE = /\u001b(?:\[([0-9;:]*)([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g
/** Of the page's own colours, which can be read in either theme. */
const NAMED = [
  '',
  'text-bad',
  'text-good',
  'text-warn',
  'text-busy',
  'text-accent',
  'text-busy',
  'text-quiet',
]
const GREY = 'text-quiet'

interface Look {
  readonly colour: string
  readonly marks: ReadonlySet<string>
}

const PLAIN: Look = { colour: '', marks: new Set() }
const MARKS: Readonly<Record<number, string>> = {
  1: 'font-semibold',
  2: 'opacity-80',
  3: 'italic',
  4: 'underline',
  7: 'bg-raised',
  9: 'line-through',
}
const UNMARKS: Readonly<Record<number, readonly string[]>> = {
  22: ['font-semibold', 'opacity-80'],
  23: ['italic'],
  24: ['underline'],
  27: ['bg-raised'],
  29: ['line-through'],
}

/** What a terminal would show, as far as colours go; whatever else it is told is left out. */
export function parseAnsi(given: string): readonly Stretch[] {
  const text = overwrite(given)
  const stretches: Stretch[] = []
  let look = PLAIN
  let at = 0
  function add(until: number): void {
    if (until > at)
      stretches.push({
        text: text.slice(at, until),
        className: [look.colour, ...look.marks].join(' ').trim(),
      })
  }
  for (const match of text.matchAll(SEQUENCE)) {
    add(match.index)
    at = match.index + match[0].length
    if (match[2] === 'm') look = apply(look, (match[1] ?? '').split(/[;:]/).map(Number))
  }
  add(text.length)
  return stretches
}

/** A line that was written over, as bars of progress do, is what it was at last. */
function overwrite(text: string): string {
  if (!text.includes('\r')) return text
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => {
      const written = line.endsWith('\r') ? line.slice(0, -1) : line
      return written.slice(written.lastIndexOf('\r') + 1)
    })
    .join('\n')
}

function apply(before: Look, codes: readonly number[]): Look {
  let { colour } = before
  const marks = new Set(before.marks)
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0
    const mark = MARKS[code]
    if (code === 0) {
      colour = ''
      marks.clear()
    } else if (mark !== undefined) marks.add(mark)
    else if (UNMARKS[code]) for (const unmarked of UNMARKS[code]) marks.delete(unmarked)
    else if (code === 39) colour = ''
    else if (code >= 30 && code <= 37) colour = NAMED[code - 30] ?? ''
    else if (code >= 90 && code <= 97) colour = code === 90 ? GREY : (NAMED[code - 90] ?? '')
    else if (code === 38 || code === 48) {
      const [length, found] = readExtended(codes.slice(at + 1, at + 5))
      at += length
      if (code === 38) colour = found
    }
  }
  return { colour, marks }
}

/** `5;n` or `2;r;g;b`. */
function readExtended([kind, ...values]: readonly number[]): readonly [number, string] {
  if (kind === 2) return [4, nearest(values[0] ?? 0, values[1] ?? 0, values[2] ?? 0)]
  if (kind !== 5) return [1, '']
  const number = values[0] ?? 0
  if (number < 16) return [2, NAMED[number % 8] ?? '']
  if (number >= 232) return [2, GREY]
  const cube = number - 16
  return [2, nearest(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51)]
}

function nearest(red: number, green: number, blue: number): string {
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  if (most - least < 40) return GREY
  const isHigh = (value: number) => value > (most + least) / 2
  const index = (isHigh(red) ? 1 : 0) + (isHigh(green) ? 2 : 0) + (isHigh(blue) ? 4 : 0)
  return NAMED[index] ?? ''
}
