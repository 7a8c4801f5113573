/** One thing that the scripted model does, in the order of the script. */
export type Act =
  | { readonly text: string }
  | { readonly thought: string; readonly signature?: string }
  | { readonly refusal: string }
  /** Begins a call; its arguments follow as acts of their own, of several calls in any order. */
  | { readonly call: string; readonly name: string }
  | { readonly args: string; readonly of: string }
  /** An error in the middle of a stream that began well. */
  | { readonly error: string; readonly type: string }
  /** Bytes as they are, in place of an event. */
  | { readonly raw: string | Uint8Array }
  /** Silence until the test opens the gate. */
  | { readonly gate: Gate }
  /** The connection is gone, without an end of the answer. */
  | { readonly cut: true }
  /** Comments of the stream for ever, as fast as they are read. */
  | { readonly endless: true }

export interface PeerUsage {
  /** Without the tokens read from and written to a cache. */
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  /** Part of `output`. */
  readonly reasoning?: number
}

export type PeerFinish = 'stop' | 'tool_calls' | 'length' | 'filtered'

export interface Answer {
  readonly acts: readonly Act[]
  readonly usage?: PeerUsage
  /** By default `tool_calls` after a call, else `stop`. `none`: the answer ends, in good HTTP, without a last event. */
  readonly finish?: PeerFinish | 'none'
  /** Each write has this many bytes, wherever that cuts a line or a character. */
  readonly bytesPerWrite?: number
  /** The connection is cut when so much of the body is out. */
  readonly cutAfterBytes?: number
  /** For benchmarks: encoded once, written without a pause, and the requests are not recorded. */
  readonly isPrepared?: boolean
}

export interface Fault {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text goes out as it is. */
  readonly body: string | object
}

export type Turn = Answer | Fault

/** What the events of one provider look like. Made anew for each answer: it knows which parts are open. */
export interface Wire {
  readonly contentType: string
  begin(): readonly (string | Uint8Array)[]
  /** Of those acts that are events. */
  encode(act: EventAct): readonly (string | Uint8Array)[]
  end(finish: PeerFinish, usage: PeerUsage): readonly (string | Uint8Array)[]
}

export type EventAct = Exclude<
  Act,
  { raw: unknown } | { gate: unknown } | { cut: unknown } | { endless: unknown }
>

export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return Object.freeze({ opened: promise, open: resolve })
}

/** A short answer in so many fragments, for benchmarks. */
export function preparedAnswer(chunks = 20): Answer {
  return {
    acts: Array.from({ length: chunks }, (_, index) => ({ text: `word ${index} ` })),
    usage: { input: 100, output: chunks },
    isPrepared: true,
  }
}
