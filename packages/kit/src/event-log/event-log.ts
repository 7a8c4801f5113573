import type { Logger } from '../log.ts'
import { toJson } from '../store/json.ts'
import type { AnyStore, AnyTransaction } from '../store/store.ts'
import { createEventTable } from './event-table.ts'
import { createTails } from './tails.ts'

export type NewEvent = { readonly type: string; readonly data: unknown }

export type LoggedEvent<Event extends NewEvent = NewEvent> = Event & {
  readonly stream: string
  /** Dense: the events of a stream are numbered 1, 2, 3 … in the order of their commits, whoever writes them. */
  readonly seq: number
  /** ISO 8601 with Z. Clocks jump: order by `seq`. */
  readonly at: string
}

export type SubscribeOptions = {
  /** Replay what follows this number; 0, the default, is the whole stream. */
  after?: number
  /** Replay the newest so many instead; 0 is nothing but what is to come. */
  last?: number
  signal?: AbortSignal
}

export type EventLog<Event extends NewEvent = NewEvent> = Readonly<{
  /** All of them or none, in a row. Part of `tx` when it is given. */
  append(stream: string, events: readonly Event[], tx?: AnyTransaction): Promise<LoggedEvent<Event>[]>
  /** The newest `count`, oldest first. */
  last(stream: string, count: number): Promise<LoggedEvent<Event>[]>
  after(stream: string, seq: number, limit: number): Promise<LoggedEvent<Event>[]>
  /**
   * Replays, then goes on live without gap or repetition, from whatever process the events come. Ends when the signal is
   * aborted or the stream is removed. A slow reader costs nothing: it reads from the table what it has missed.
   */
  subscribe(stream: string, options?: SubscribeOptions): AsyncIterable<LoggedEvent<Event>>
  /** Forgets the stream and ends its subscriptions. */
  remove(stream: string, tx?: AnyTransaction): Promise<void>
}>

export type EventLogOptions = {
  /** Prefix of its tables and its channel. */
  name: string
  now?: () => Date
  logger?: Pick<Logger, 'warn'>
}

export async function createEventLog<Event extends NewEvent = NewEvent>(
  anyStore: AnyStore,
  { name, now = () => new Date(), logger }: EventLogOptions,
): Promise<EventLog<Event>> {
  const store = anyStore.as<unknown>()
  const table = createEventTable<Event>(store, name)
  await table.migrate()
  const channel = `${name}_event`
  const tails = createTails<Event>({
    table,
    listen: (onMessage) => store.listen(channel, onMessage),
    logger,
  })

  async function append(
    stream: string,
    events: readonly Event[],
    tx?: AnyTransaction,
  ): Promise<LoggedEvent<Event>[]> {
    checkStream(stream)
    if (events.length === 0) return []
    if (tx === undefined) return store.transaction((own) => append(stream, events, own))
    const at = now().toISOString()
    const rows = events.map(({ type, data }) => ({ stream, type, at, data: toJson(data) }))
    const first = await table.insert(rows, stream, tx)
    await store.notify(channel, stream, tx)
    return events.map((event, index) => Object.freeze({ ...event, stream, seq: first + index, at }))
  }

  async function remove(stream: string, tx?: AnyTransaction): Promise<void> {
    if (tx === undefined) return store.transaction((own) => remove(stream, own))
    await table.remove(stream, tx)
    await store.notify(channel, stream, tx)
  }

  return Object.freeze({
    append,
    remove,
    last: async (stream, count) => table.readLast(stream, checkCount('count', count)),
    after: async (stream, seq, limit) =>
      table.readAfter(stream, checkCount('seq', seq), checkCount('limit', limit)),
    subscribe(stream, { after, last, signal } = {}) {
      if (after !== undefined) checkCount('after', after)
      if (last !== undefined) checkCount('last', last)
      return tails.subscribe(stream, { after, last, signal })
    },
  } satisfies EventLog<Event>)
}

function checkStream(stream: string): void {
  if (stream === '' || stream.length > 500)
    throw new RangeError(`A stream's name has 1 to 500 characters, not ${stream.length}.`)
}

function checkCount(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new RangeError(`"${name}" must be a whole number from 0 on, not ${value}.`)
}
