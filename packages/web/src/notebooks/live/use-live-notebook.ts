import { useEffect, useState, useSyncExternalStore } from 'react'
import { callTool } from '../../services/notebook-tools.ts'
import { openSocket } from '../../services/socket.ts'
import { encodePath } from '../notebook-path.ts'
import { type LiveNotebook, type LiveState, openLiveNotebook } from './live-notebook.ts'
import { readOwnName } from './own-name.ts'

export interface UsedNotebook {
  readonly live: LiveNotebook | undefined
  readonly state: LiveState
  /** Begins anew, after it was over. */
  readonly reopen: () => void
}

const CONNECTING: LiveState = Object.freeze({
  phase: 'connecting',
  reason: '',
  shared: undefined,
  isUnsent: false,
  isLost: false,
})

/** The notebook of that path, for as long as the page shows it. */
export function useLiveNotebook(path: string): UsedNotebook {
  const [live, setLive] = useState<LiveNotebook>()
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is another connection
  useEffect(() => {
    const opened = openLiveNotebook({
      openSocket: () => openSocket('notebook', `/live/${encodePath(path)}`),
      readName: readOwnName,
      // Whatever it answers: a token that is no longer good leads to the page that asks for one.
      onUnreachable: () => void callTool('list_notebooks', {}).catch(() => undefined),
    })
    setLive(opened)
    return () => {
      setLive(undefined)
      opened.close()
    }
  }, [path, attempt])
  const state = useSyncExternalStore(live?.subscribe ?? noSubscription, live?.getState ?? connecting)
  return { live, state, reopen: () => setAttempt(attempt + 1) }
}

function noSubscription(): () => void {
  return () => undefined
}

function connecting(): LiveState {
  return CONNECTING
}
