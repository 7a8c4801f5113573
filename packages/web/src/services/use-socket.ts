import { useEffect, useEffectEvent, useState } from 'react'
import type { ServiceName } from './served.ts'
import { openSocket } from './socket.ts'

export type SocketState = 'connecting' | 'open' | 'away'

const LONGEST_WAIT_MS = 10_000

/** Keeps a WebSocket open while the page shows it, again and again after it was lost, and hands on every message. */
export function useSocket(
  service: ServiceName,
  path: string,
  onMessage: (data: unknown) => void,
): SocketState {
  const [state, setState] = useState<SocketState>('connecting')
  const receive = useEffectEvent(onMessage)

  useEffect(() => {
    let socket: WebSocket | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let attempt = 0
    let isOver = false

    function connect(): void {
      socket = openSocket(service, path)
      socket.onopen = () => {
        attempt = 0
        setState('open')
      }
      socket.onmessage = ({ data }) => receive(typeof data === 'string' ? parse(data) : data)
      socket.onclose = () => {
        if (isOver) return
        setState('away')
        attempt += 1
        timer = setTimeout(connect, Math.min(250 * 2 ** attempt, LONGEST_WAIT_MS))
      }
    }

    connect()
    return () => {
      isOver = true
      clearTimeout(timer)
      socket?.close()
    }
  }, [service, path])

  return state
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
