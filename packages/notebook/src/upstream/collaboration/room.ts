import type { Logger } from '@quire/kit/log'
import type { WebSocket } from 'ws'
import { applyUpdate, Doc, encodeStateAsUpdate, encodeStateVector } from 'yjs'
import { z } from 'zod'
import { ToolError } from '../../tool-error.ts'
import { encodeAwareness, encodeSave, encodeStep1, encodeStep2, encodeUpdate, type Frame } from './frame.ts'
import { createRoomLink, type RoomEnd } from './room-link.ts'

/** What came of the request to save; undefined where the server does not answer such requests. */
export type SaveStatus = 'success' | 'skipped' | 'failed' | undefined

/** A live document that was received whole. What is changed in `doc` is sent at once, until the connection ends: then it is of no use any more. */
export interface Room {
  readonly doc: Doc
  isOpen(): boolean
  readonly ended: Promise<RoomEnd>
  /** Resolves when the server has everything that was changed here before the call. */
  confirm(): Promise<void>
  save(timeoutMs: number): Promise<SaveStatus>
  /** Tells the others who is there: an update of the awareness protocol. */
  tell(awarenessUpdate: Uint8Array): void
  close(): Promise<void>
}

export interface RoomOptions {
  readonly socket: WebSocket
  /** Says what is open, in error texts. */
  readonly path: string
  readonly logger: Logger
  /** For the first synchronisation, and for each confirmation. */
  readonly syncMs?: number
}

const SYNC_MS = 10_000
const FROM_SERVER = Symbol('from the server')
const SaveReply = z
  .string()
  .transform(parseJson)
  .pipe(
    z.object({
      type: z.literal('save'),
      responseTo: z.number(),
      status: z.enum(['success', 'skipped', 'failed']),
    }),
  )

/** Resolves after the first synchronisation, and never hands out a document without it: an empty one would pass for an empty notebook. */
export async function openRoom(options: RoomOptions): Promise<Room> {
  const { socket, path, logger, syncMs = SYNC_MS } = options
  const doc = new Doc()
  const confirmations: (() => void)[] = []
  const saves = new Map<number, (status: SaveStatus) => void>()
  let serial = 0
  const link = createRoomLink({ socket, onFrame: receive, logger })

  function receive(frame: Frame): void {
    switch (frame.type) {
      case 'step1':
        link.send(encodeStep2(encodeStateAsUpdate(doc, frame.stateVector)))
        return
      case 'step2':
        applyUpdate(doc, frame.update, FROM_SERVER)
        confirmations.shift()?.()
        return
      case 'update':
        applyUpdate(doc, frame.update, FROM_SERVER)
        return
      case 'raw':
        receiveRaw(frame.text)
        return
      // Who else is there is nothing to us.
      case 'awareness':
      case 'other':
        return
    }
  }

  function receiveRaw(text: string): void {
    const { data } = SaveReply.safeParse(text)
    if (data) saves.get(data.responseTo)?.(data.status)
  }

  doc.on('update', (update: Uint8Array, origin: unknown) => {
    if (origin !== FROM_SERVER) link.send(encodeUpdate(update))
  })

  /** The answer to a question comes after everything that was sent before it has been taken in. */
  async function confirm(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<'confirmed'>()
    confirmations.push(() => resolve('confirmed'))
    link.send(encodeStep1(encodeStateVector(doc)))
    const outcome = await within(syncMs, promise, link.ended)
    if (outcome === 'confirmed') return
    if (outcome === 'late') throw tooLate(path, syncMs)
    throw closedEarly(path, outcome)
  }

  async function save(timeoutMs: number): Promise<SaveStatus> {
    serial += 1
    const id = serial
    const { promise, resolve } = Promise.withResolvers<SaveStatus>()
    saves.set(id, resolve)
    try {
      link.send(encodeSave(id))
      const outcome = await within(timeoutMs, promise, link.ended)
      if (outcome === 'late' || outcome === undefined) return undefined
      if (typeof outcome === 'string') return outcome
      throw closedEarly(path, outcome)
    } finally {
      saves.delete(id)
    }
  }

  async function close(): Promise<void> {
    await link.close()
    doc.destroy()
  }

  try {
    await confirm()
  } catch (error) {
    link.cut('the first synchronisation did not finish')
    doc.destroy()
    throw error
  }
  return Object.freeze({
    doc,
    isOpen: link.isOpen,
    ended: link.ended,
    confirm,
    save,
    tell: (update: Uint8Array) => link.send(encodeAwareness(update)),
    close,
  })
}

async function within<Value>(
  ms: number,
  ...waits: readonly Promise<Value | RoomEnd>[]
): Promise<Value | RoomEnd | 'late'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(resolve, ms, 'late')
  try {
    return await Promise.race([late, ...waits])
  } finally {
    clearTimeout(timer)
  }
}

/** What is no JSON is a message of a kind that is not known here. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function tooLate(path: string, ms: number): ToolError {
  return new ToolError(
    'unreachable',
    `The live document of ${JSON.stringify(path)} was not synchronised within ${ms / 1000} s, so it is not known what is in it. Check whether the notebook server is busy, and try again.`,
  )
}

function closedEarly(path: string, { code, reason }: RoomEnd): ToolError {
  const why = reason === '' ? '' : `, ${JSON.stringify(reason)}`
  return new ToolError(
    'unreachable',
    `The notebook server closed the live document of ${JSON.stringify(path)} (code ${code}${why}) before it confirmed what it has. Read the notebook again.`,
  )
}
