/**
 * not-ready: nothing was sent. lost: the connection broke, the outcome of the call is unknown. timeout, aborted: the server was told to stop.
 * refused: by an HTTP error, or the server does not offer it. invalid-answer: the server broke the protocol. closed: by us.
 */
export type ConnectionFault =
  | 'not-ready'
  | 'lost'
  | 'timeout'
  | 'aborted'
  | 'refused'
  | 'invalid-answer'
  | 'closed'

export interface ConnectionErrorOptions {
  readonly cause?: unknown
  /** The server's last lines on stderr. */
  readonly stderr?: readonly string[] | undefined
  readonly exitCode?: number | null | undefined
  readonly signal?: string | null | undefined
  /** HTTP status, where there was one. */
  readonly status?: number | undefined
  /** The server's `Retry-After`, where there was one. */
  readonly retryAfterSeconds?: number | undefined
}

/** What stood between us and the server. An error that the server itself answered is the SDK's `ProtocolError`, as it came. */
export class ConnectionError extends Error {
  readonly fault: ConnectionFault
  readonly stderr: readonly string[]
  readonly exitCode: number | null
  readonly signal: string | null
  readonly status: number | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(fault: ConnectionFault, message: string, options: ConnectionErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'ConnectionError'
    this.fault = fault
    this.stderr = options.stderr ?? []
    this.exitCode = options.exitCode ?? null
    this.signal = options.signal ?? null
    this.status = options.status
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

const MAX_CAUSES = 5

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // fetch says "fetch failed" and keeps the reason in its cause; the SDK wraps that once more.
  let root: Error = error
  for (let depth = 0; depth < MAX_CAUSES && root.cause instanceof Error; depth += 1) root = root.cause
  return root === error ? error.message : `${error.message} (${root.message})`
}

/** What programs say when a connection fails, and what a person understands by it. `$1` is the address or the name, where there is one. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bECONNREFUSED (\S+:\d+)/, 'nothing listens at $1 (connection refused)'],
  [/\bECONNREFUSED\b/, 'nothing listens there (connection refused)'],
  [/\bENOTFOUND ([^\s)]+)/, 'there is no host named $1'],
  [/\bEAI_AGAIN ([^\s)]+)/, 'the name $1 cannot be looked up now'],
  [/\bETIMEDOUT (\S+:\d+)/, 'no answer comes from $1 (timed out)'],
  [
    /\b(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|Connect Timeout Error)\b/,
    'no answer comes from there (timed out)',
  ],
  [/\bE(?:HOST|NET)UNREACH (\S+:\d+)/, 'no way leads to $1 (unreachable)'],
  [/\b(?:ECONNRESET|UND_ERR_SOCKET|other side closed)\b/, 'it broke off the connection'],
  [/\b(?:CERT_HAS_EXPIRED|certificate has expired)\b/, 'its certificate has expired'],
  [
    /\b(?:ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames)/,
    'its certificate is for another name',
  ],
  [
    /\b(self[- ]signed certificate|unable to (?:verify|get)[^()]*certificate)/,
    'its certificate is not trusted ($1)',
  ],
  [/SSL routines|\bERR_SSL_/, 'it does not speak TLS (perhaps its address begins with http://)'],
  [/\bUnexpected content type: ([^\s(),;]+)/, 'what answers there does not speak MCP but sends $1'],
  [/\bInvalid content type\b/, 'what answers there does not speak MCP'],
]

/** Noise of the layers between us and the network. */
const WRAPPING = /^(?:Version negotiation probe failed|SSE error|TypeError|fetch failed): /

/** Why something could not be had from a server, in plain words, for the end of a sentence: without its full stop. */
export function plainReason(error: unknown): string {
  const said = saidByNetwork(error)
  for (const [pattern, words] of WORDS) {
    const found = pattern.exec(said)
    if (found) return words.replace('$1', () => found[1] ?? '')
  }
  let text = messageOf(error)
  while (WRAPPING.test(text)) text = text.replace(WRAPPING, '')
  return text.trim().replace(/\.$/, '')
}

/** By the network and by those who carry its words, never by the server: what that cannot reach is not our connection. */
function saidByNetwork(error: unknown): string {
  const parts: string[] = []
  let candidate = error
  for (let depth = 0; depth < MAX_CAUSES && candidate instanceof Error; depth += 1) {
    const { message, cause } = candidate
    const code = 'code' in candidate && typeof candidate.code === 'string' ? candidate.code : undefined
    if (code !== undefined || message.startsWith('SSE error: ')) parts.push(code ?? '', message)
    // Of several addresses, one stands for all.
    candidate = candidate instanceof AggregateError ? candidate.errors.at(-1) : cause
  }
  return parts.join('\n')
}
