import type { Readable } from 'node:stream'

/** Calls back with each line. Cheaper than `node:readline`, which is felt at thousands of lines a second. */
export function onLines(stream: Readable, take: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    rest += text
    let start = 0
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', start)) {
      if (end > start) take(rest.slice(start, end))
      start = end + 1
    }
    rest = rest.slice(start)
  })
}
