import { connect } from 'node:net'

export interface RawAnswer {
  /** 0 when the server closed the connection without an answer. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends bytes as they are, which no HTTP client would, and reads what comes back until the server closes or falls silent. */
export function sendRaw(port: number, text: string, deadlineMs = 5_000): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let received = ''
    const deadline = setTimeout(
      () =>
        socket.destroy(
          new Error(`no answer within ${deadlineMs} ms to ${JSON.stringify(text.slice(0, 80))}`),
        ),
      deadlineMs,
    )
    socket.setEncoding('latin1').on('data', (chunk) => {
      received += chunk
      if (isComplete(received)) socket.end()
    })
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? undefined : reject(error),
    )
    socket.on('close', () => {
      clearTimeout(deadline)
      resolve(parse(received))
    })
    socket.write(text, 'latin1')
  })
}

function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const { status, headers, body } = parse(text)
  if (status === 101 || status === 204 || headers['content-length'] === '0') return true
  return headers['content-length'] === undefined
    ? body.endsWith('0\r\n\r\n')
    : body.length >= Number(headers['content-length'])
}

function parse(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ])
  return {
    status: Number(first.split(' ')[1] ?? 0),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
  }
}
