import {
  Awareness,
  applyAwarenessUpdate,
  encodeAwarenessUpdate,
  removeAwarenessStates,
} from 'y-protocols/awareness'
import * as Y from 'yjs'
import { awarenessFrame, readFrame, syncFrame } from './frames.ts'
import { createPresence } from './presence.ts'
import { LOCAL, type SharedNotebook } from './shared-notebook.ts'

export type Phase = 'connecting' | 'open' | 'away' | 'missing' | 'deleted' | 'refused'

export interface LiveState {
  readonly phase: Phase
  /** The server's own words, where it said any. */
  readonly reason: string
  /** Once it is here whole; it stays while the server is away. */
  readonly shared: SharedNotebook | undefined
  /** Edits of ours that the server does not have yet. */
  readonly isUnsent: boolean
  /** Edits of ours that could not be kept. */
  readonly isLost: boolean
}

export interface LiveNotebook {
  getState(): LiveState
  subscribe(listener: () => void): () => void
  /** The server has all that was written until now. Rejects when it does not say so in time. */
  confirm(): Promise<void>
  close(): void
}

export interface LiveOptions {
  readonly openSocket: () => WebSocket
  /** The name that others see. */
  readonly readName: () => string
  /** A connection was refused before it was one: the reason is not told to scripts. */
  readonly onUnreachable: () => void
}

const REMOTE = Symbol('from the server')
const UNREADABLE = 1003
const TOO_LARGE = 1009
const ENDS: Readonly<Record<number, Phase>> = { 4400: 'refused', 4403: 'refused', 4404: 'missing' }
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5_000
const CONFIRM_MS = 10_000

/** A notebook that others have open at the same time. The connection is made again whenever it is lost. */
export function openLiveNotebook({ openSocket, readName, onUnreachable }: LiveOptions): LiveNotebook {
  const listeners = new Set<() => void>()
  let state: LiveState = {
    phase: 'connecting',
    reason: '',
    shared: undefined,
    isUnsent: false,
    isLost: false,
  }
  let draft = createShared()
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let attempt = 0
  let isClosed = false
  /** Who waits for the answers to what was asked, in order. */
  let waiting: (() => void)[] = []

  function change(fields: Partial<LiveState>): void {
    state = { ...state, ...fields }
    for (const listener of listeners) listener()
  }

  function createShared() {
    const doc = new Y.Doc()
    const awareness = new Awareness(doc)
    const cells = doc.getArray<unknown>('cells')
    const undo = new Y.UndoManager(cells, { trackedOrigins: new Set([LOCAL]) })
    const presence = createPresence({ awareness, name: readName() })
    const shared: SharedNotebook = {
      doc,
      cells,
      meta: doc.getMap('meta'),
      state: doc.getMap('state'),
      undo,
      presence,
    }
    doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin === REMOTE) return
      if (!send(syncFrame('update', update)) && !state.isUnsent) change({ isUnsent: true })
    })
    awareness.on('update', ({ added, updated, removed }: Changed, origin: unknown) => {
      if (origin === REMOTE) return
      send(awarenessFrame(encodeAwarenessUpdate(awareness, [...added, ...updated, ...removed])))
    })
    return { shared, awareness }
  }

  function send(frame: Uint8Array<ArrayBuffer>): boolean {
    if (socket?.readyState !== WebSocket.OPEN) return false
    socket.send(frame)
    return true
  }

  function ask(onAnswer: () => void): boolean {
    const isAsked = send(syncFrame('ask', Y.encodeStateVector(draft.shared.doc)))
    if (isAsked) waiting.push(onAnswer)
    return isAsked
  }

  function connect(): void {
    const opened = openSocket()
    let wasOpen = false
    socket = opened
    opened.binaryType = 'arraybuffer'
    opened.onopen = () => {
      wasOpen = true
      ask(() => {
        attempt = 0
        change({ phase: 'open', reason: '', shared: draft.shared })
        // What was written while it was away was asked for by the server, and sent before this.
        ask(() => change({ isUnsent: false }))
      })
      draft.awareness.setLocalState(draft.awareness.getLocalState())
    }
    opened.onmessage = ({ data }) => {
      try {
        receive(new Uint8Array(data as ArrayBuffer))
      } catch {
        // Nothing after this could be trusted to fit: it begins anew.
        startAnew()
        opened.close()
      }
    }
    opened.onclose = ({ code, reason }) => {
      if (isClosed || socket !== opened) return
      waiting = []
      leaveOthers()
      const end = ENDS[code]
      if (end !== undefined)
        return change({ phase: end === 'missing' && state.shared ? 'deleted' : end, reason })
      if (code === UNREADABLE || code === TOO_LARGE) startAnew()
      if (!wasOpen) onUnreachable()
      change({ phase: state.shared ? 'away' : 'connecting', reason })
      timer = setTimeout(connect, Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS))
      attempt += 1
    }
  }

  function receive(bytes: Uint8Array): void {
    const { shared, awareness } = draft
    const frame = readFrame(bytes)
    if (frame.kind === 'ask') send(syncFrame('answer', Y.encodeStateAsUpdate(shared.doc, frame.bytes)))
    else if (frame.kind === 'awareness') applyAwarenessUpdate(awareness, frame.bytes, REMOTE)
    else if (frame.kind !== 'other') Y.applyUpdate(shared.doc, frame.bytes, REMOTE)
    if (frame.kind === 'answer') waiting.shift()?.()
  }

  /** The server has a document with another history: with ours, every cell would be there twice. */
  function startAnew(): void {
    const isLost = state.isLost || state.isUnsent
    waiting = []
    dispose()
    draft = createShared()
    // What is on the page belongs to the old one: nobody is to write into it any more.
    change({ shared: undefined, isUnsent: false, isLost })
  }

  function leaveOthers(): void {
    const { awareness } = draft
    const others = [...awareness.getStates().keys()].filter((id) => id !== awareness.clientID)
    removeAwarenessStates(awareness, others, REMOTE)
  }

  function dispose(): void {
    draft.shared.presence.close()
    draft.shared.undo.destroy()
    draft.awareness.destroy()
    draft.shared.doc.destroy()
  }

  connect()
  return Object.freeze({
    getState: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    confirm() {
      return new Promise<void>((resolve, reject) => {
        const late = setTimeout(fail, CONFIRM_MS)
        const isAsked = ask(() => {
          clearTimeout(late)
          resolve()
        })
        if (!isAsked) fail()

        function fail(): void {
          clearTimeout(late)
          reject(new Error(NOT_CONFIRMED))
        }
      })
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      socket?.close()
      dispose()
    },
  })
}

const NOT_CONFIRMED =
  'The notebook could not be sent to its server, so nothing was run. Try again when it is connected.'

interface Changed {
  readonly added: number[]
  readonly updated: number[]
  readonly removed: number[]
}
