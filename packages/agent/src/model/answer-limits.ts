import { AgentError } from '../agent-error.ts'

/** What every answer of a provider is held to, however it is fetched. */
export const LONGEST_ANSWER_MS = 60 * 60_000

const MOST_BYTES = 64 * 1024 * 1024
const MOST_BYTES_OF_ERROR = 1024 * 1024
const MOST_BYTES_OF_LINE = 8 * 1024 * 1024
const LINE_FEED = 10

export interface MeterOptions {
  /** For messages. */
  readonly title: string
  readonly isError: boolean
  readonly contentType: string
}

/** Throws when it is too much. */
export type Meter = (bytes: Uint8Array) => void

export function createMeter({ title, isError, contentType }: MeterOptions): Meter {
  const most = isError ? MOST_BYTES_OF_ERROR : MOST_BYTES
  const hasLines = contentType.startsWith('text/event-stream')
  let total = 0
  let line = 0
  return (bytes) => {
    total += bytes.length
    const end = hasLines ? bytes.lastIndexOf(LINE_FEED) : 0
    line = end === -1 ? line + bytes.length : bytes.length - end
    if (total > most || line > MOST_BYTES_OF_LINE)
      throw new AgentError(
        'garbled',
        `${title} sent more than an answer can be. Ask for less, or report it there.`,
      )
  }
}

export function isPage(contentType: string): boolean {
  return contentType.startsWith('text/html')
}

export function page(title: string): AgentError {
  return new AgentError(
    'garbled',
    `${title} answered with a web page in place of a stream. Check the base URL: it names the root of the API.`,
  )
}

/** Whoever waits has waited for long already: once more is enough. */
export function silence(title: string, idleMs: number): AgentError {
  return new AgentError('unavailable', `${title} was silent for ${idleMs / 1000} seconds. Try again.`, {
    isRetryable: true,
    mostRetries: 1,
  })
}

export function endless(title: string): AgentError {
  return new AgentError(
    'unavailable',
    `${title} had not ended its answer after ${LONGEST_ANSWER_MS / 60_000} minutes, so it was cut off. Ask for less.`,
  )
}
