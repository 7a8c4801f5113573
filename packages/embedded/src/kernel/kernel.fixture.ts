import { randomUUID } from 'node:crypto'
import type { Kernel, KernelMessage } from './kernel.ts'

export interface Execution {
  readonly reply: KernelMessage
  readonly messages: readonly KernelMessage[]
  /** The text of a stream, joined. */
  stream(name: 'stdout' | 'stderr'): string
  /** The contents of the messages of a type. */
  contents(type: string): Readonly<Record<string, unknown>>[]
}

export interface Request {
  readonly id: string
  readonly done: Promise<Execution>
}

const PATIENCE_MS = 60_000

function toMessage(
  type: string,
  content: Readonly<Record<string, unknown>>,
  channel: KernelMessage['channel'] = 'shell',
): KernelMessage {
  const header = {
    msg_id: randomUUID(),
    msg_type: type,
    session: 'a client',
    username: 'someone',
    version: '5.3',
  }
  return { channel, header, parent_header: {}, metadata: {}, content }
}

/** Asks as a client does: the answer is whole once both the reply and the idle status are there, in whichever order. */
export function ask(
  kernel: Kernel,
  type: string,
  content: Readonly<Record<string, unknown>>,
  channel: KernelMessage['channel'] = 'shell',
): Request {
  const request = toMessage(type, content, channel)
  const done = new Promise<Execution>((resolve, reject) => {
    const messages: KernelMessage[] = []
    const patience = setTimeout(() => {
      stop()
      const seen = messages.map(({ header }) => header.msg_type).join(', ')
      reject(new Error(`no whole answer to ${type} within a minute; seen: ${seen}`))
    }, PATIENCE_MS)
    const stop = kernel.onMessage((message) => {
      if (message.parent_header.msg_id !== request.header.msg_id) return
      messages.push(message)
      const reply = messages.find(({ header }) => header.msg_type.endsWith('_reply'))
      const idle = messages.some(
        ({ header, content }) => header.msg_type === 'status' && content.execution_state === 'idle',
      )
      if (reply === undefined || !(idle || channel === 'control')) return
      clearTimeout(patience)
      stop()
      resolve(toExecution(reply, messages))
    })
    kernel.send(request)
  })
  return { id: request.header.msg_id, done }
}

export function execute(
  kernel: Kernel,
  code: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Execution> {
  return ask(kernel, 'execute_request', { code, ...options }).done
}

function toExecution(reply: KernelMessage, messages: readonly KernelMessage[]): Execution {
  function contents(type: string) {
    return messages.filter(({ header }) => header.msg_type === type).map(({ content }) => content)
  }
  return {
    reply,
    messages,
    contents,
    stream: (name) =>
      contents('stream')
        .filter((content) => content.name === name)
        .map(({ text }) => text)
        .join(''),
  }
}
