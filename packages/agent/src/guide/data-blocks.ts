/** Material that goes with a request: no part of what is asked for. */
export interface DataBlock {
  /** The line before it, where that ends with a colon. */
  readonly heading: string
  readonly text: string
}

const OPENING = /^(`{3,})data$/

/** A block that is marked as data holds neither requests nor code. One that is left open ends with the text. */
export function splitData(text: string): {
  readonly words: string
  readonly blocks: readonly DataBlock[]
} {
  const words: string[] = []
  const blocks: DataBlock[] = []
  let open: { readonly fence: string; readonly heading: string; readonly lines: string[] } | undefined
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    const fence = open === undefined ? OPENING.exec(line)?.[1] : undefined
    if (open === undefined && fence === undefined) words.push(line)
    else if (open === undefined) open = { fence: fence ?? '', heading: takeHeading(), lines: [] }
    else if (line.startsWith(open.fence) && /^`+$/.test(line)) close()
    else open.lines.push(line)
  }
  close()
  return { words: words.join('\n'), blocks }

  function takeHeading(): string {
    return words.at(-1)?.endsWith(':') ? (words.pop() ?? '') : ''
  }

  function close(): void {
    if (open !== undefined) blocks.push({ heading: open.heading, text: open.lines.join('\n') })
    open = undefined
  }
}
