import { randomUUID } from 'node:crypto'
import { isRecord } from '../../document/json.ts'
import type { Json } from '../../document/nbformat.ts'

export const CHANNELS = ['shell', 'iopub', 'stdin', 'control'] as const
export type Channel = (typeof CHANNELS)[number]

export interface MessageHeader {
  readonly msg_id: string
  readonly msg_type: string
  /** Of the sender: a kernel takes a new one each time it starts. */
  readonly session: string
}

/** One message of the Jupyter messaging protocol 5.3, whatever frames it came in. */
export interface KernelMessage {
  readonly channel: Channel
  readonly header: MessageHeader
  readonly parentHeader: Json
  readonly metadata: Json
  readonly content: Json
  readonly buffers: readonly Uint8Array[]
}

/** What others sent may be anything: a fault says why it is no message. */
export type Decoded = { readonly message: KernelMessage } | { readonly fault: string }

export interface NewMessage {
  readonly channel: Channel
  readonly type: string
  readonly session: string
  readonly content: Json
  readonly parentHeader?: Json
}

export function createMessage({ channel, type, session, content, parentHeader }: NewMessage): KernelMessage {
  const header = {
    msg_id: randomUUID(),
    msg_type: type,
    session,
    username: 'quire',
    date: new Date().toISOString(),
    version: '5.3',
  }
  return { channel, header, parentHeader: parentHeader ?? {}, metadata: {}, content, buffers: [] }
}

/** The id of the request that a message answers. */
export function parentOf({ parentHeader }: KernelMessage): string | undefined {
  return typeof parentHeader.msg_id === 'string' ? parentHeader.msg_id : undefined
}

export interface MessageParts {
  readonly channel: unknown
  readonly header: unknown
  readonly parentHeader: unknown
  readonly metadata: unknown
  readonly content: unknown
  readonly buffers: readonly Uint8Array[]
}

export function toMessage({ channel, header, parentHeader, ...parts }: MessageParts): Decoded {
  const known = CHANNELS.find((name) => name === channel)
  if (!known) return { fault: 'it names no channel' }
  if (!isHeader(header)) return { fault: 'its header is none' }
  const { metadata, content, buffers } = parts
  return {
    message: {
      channel: known,
      header,
      parentHeader: toRecord(parentHeader),
      metadata: toRecord(metadata),
      content: toRecord(content),
      buffers,
    },
  }
}

function isHeader(value: unknown): value is MessageHeader & Json {
  if (!isRecord(value)) return false
  return [value.msg_id, value.msg_type, value.session].every((field) => typeof field === 'string')
}

function toRecord(value: unknown): Json {
  return isRecord(value) ? value : {}
}
