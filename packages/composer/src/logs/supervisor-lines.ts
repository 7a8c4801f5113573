import type { LinkLog } from '../link/link.ts'
import type { SupervisorEvent } from '../supervisor/supervisor.ts'
import { guessLevel, toLogLevel } from './line-level.ts'
import type { LogBook } from './log-book.ts'

export interface SupervisorLinesOptions {
  readonly book: Pick<LogBook, 'write'>
  /** Whether what the servers themselves say is written too. */
  readonly withServerLines: () => boolean
}

/** A listener that writes into the book what happens to servers, and what they say. */
export function createSupervisorLines({
  book,
  withServerLines,
}: SupervisorLinesOptions): (event: SupervisorEvent) => void {
  return function writeEvent(event) {
    switch (event.type) {
      case 'state':
        book.write(event.state === 'crashed' ? 'ERROR' : 'INFO', event.server, stateLine(event))
        break
      case 'catalog':
        book.write('DEBUG', event.server, `offers other ${event.kind} now`)
        break
      case 'stderr':
        if (withServerLines()) book.write(guessLevel(event.line), event.server, event.line)
        break
      case 'log':
        if (withServerLines()) book.write(toLogLevel(event.entry.level), event.server, toMessage(event.entry))
        break
    }
  }
}

function stateLine(event: Extract<SupervisorEvent, { type: 'state' }>): string {
  const { state, failure, retryInMs, start } = event
  if (state === 'running' && start) {
    const { tookMs, failures } = start
    const again = failures === 0 ? '' : ` again, after ${failures} ${failures === 1 ? 'failure' : 'failures'}`
    return `running${again}; its start took ${toDuration(tookMs)}`
  }
  if (state !== 'crashed') return state
  const next =
    retryInMs === undefined ? 'It stays down until it is started.' : `Next try in ${toDuration(retryInMs)}.`
  return `crashed: ${failure?.reason ?? 'no reason is known'}. ${next}`
}

function toDuration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}

function toMessage({ logger, data }: LinkLog): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
  return logger === undefined ? text : `${logger}: ${text}`
}
