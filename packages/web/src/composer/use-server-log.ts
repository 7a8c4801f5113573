import type { DroppedMessage, LogMessage } from '@quire/composer/contract'
import { useState } from 'react'
import { type SocketState, useSocket } from '../services/use-socket.ts'

const MOST_LINES = 500

export interface ServerLog {
  readonly lines: readonly LogMessage[]
  /** Lines that came faster than they could be read. */
  readonly lost: number
  readonly state: SocketState
}

/** The last lines of one server, and those to come. */
export function useServerLog(server: string): ServerLog {
  const [lines, setLines] = useState<readonly LogMessage[]>([])
  const [lost, setLost] = useState(0)
  const path = `/ws/logs?history=${MOST_LINES}&server=${encodeURIComponent(server)}`
  const state = useSocket('composer', path, (data) => {
    const message = data as LogMessage | DroppedMessage
    if (message.type === 'dropped') setLost((before) => before + message.count)
    else setLines((before) => append(before, message))
  })
  return { lines, lost, state }
}

/** After a reconnection the history comes once more; numbers that begin again are those of a server that was started again. */
function append(lines: readonly LogMessage[], line: LogMessage): readonly LogMessage[] {
  const last = lines.at(-1)
  if (last === undefined || line.id > last.id) return [...lines, line].slice(-MOST_LINES)
  const isKnown = lines.some(({ id, timestamp }) => id === line.id && timestamp === line.timestamp)
  return isKnown ? lines : [line]
}
