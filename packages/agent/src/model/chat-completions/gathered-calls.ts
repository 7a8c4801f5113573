import { randomUUID } from 'node:crypto'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { ModelEvent } from '../model.ts'
import { Nonsense, toText } from './nonsense.ts'

/** The calls of one answer, put together from their fragments. */
export interface GatheredCalls {
  /** The calls of one chunk. */
  take(fragments: JsonValue | undefined): void
  count(): number
  /** Throws where one cannot be made, when there is no more to come. */
  check(): void
  /** In the order in which they began. */
  events(): readonly ModelEvent[]
}

interface Call {
  id: string
  name: string
  argsText: string
  signature: string | undefined
}

const MOST_CALLS = 256

/**
 * A fragment belongs to the call with its `index`. Servers leave that out (Ollama), or give every call the same one, and some make a new id for each
 * fragment: so a name that comes with an id of its own begins another call, and a fragment that nothing else places goes on with the last.
 */
export function createGatheredCalls(): GatheredCalls {
  const calls: Call[] = []
  const byIndex = new Map<number, Call>()

  return {
    take(fragments) {
      if (fragments === undefined || fragments === null) return
      if (!Array.isArray(fragments)) throw new Nonsense('The calls are no list.')
      for (const fragment of fragments) takeOne(fragment)
    },
    count: () => calls.length,
    check() {
      if (calls.some(({ name }) => name === '')) throw new Nonsense('A call has no name.')
    },
    events: () => calls.map(toEvent),
  }

  function takeOne(fragment: JsonValue): void {
    if (!isJsonObject(fragment)) throw new Nonsense('A call is no object.')
    const called = fragment.function ?? {}
    if (!isJsonObject(called)) throw new Nonsense('The function of a call is no object.')
    const id = toText(fragment.id)
    const name = toText(called.name)
    const call = find(fragment.index, id, name) ?? begin(id)
    if (typeof fragment.index === 'number') byIndex.set(fragment.index, call)
    call.id ||= id
    call.name ||= name
    call.argsText += toArgs(called.arguments)
    call.signature ??= signatureOf(fragment.extra_content)
  }

  function find(index: JsonValue | undefined, id: string, name: string): Call | undefined {
    if (typeof index !== 'number')
      return calls.find((call) => id !== '' && call.id === id) ?? (name === '' ? calls.at(-1) : undefined)
    const found = byIndex.get(index)
    const isOther = found !== undefined && name !== '' && id !== '' && found.id !== id
    return isOther ? undefined : found
  }

  function begin(id: string): Call {
    if (calls.length >= MOST_CALLS) throw new Nonsense(`More than ${MOST_CALLS} calls.`)
    const call = { id, name: '', argsText: '', signature: undefined }
    calls.push(call)
    return call
  }
}

/** Text, in fragments; some servers send the object itself. */
function toArgs(value: JsonValue | undefined): string {
  return isJsonObject(value) ? JSON.stringify(value) : toText(value)
}

function toEvent({ id, name, argsText, signature }: Call): ModelEvent {
  const metadata = signature !== undefined && { metadata: { google: { thoughtSignature: signature } } }
  return { type: 'tool_call', id: id || `call_${randomUUID()}`, name, argsText, ...metadata }
}

/** Gemini's models, behind its compatible address, refuse a call that comes back without the signature that they gave it. */
function signatureOf(extra: JsonObject[string]): string | undefined {
  const google = isJsonObject(extra) ? extra.google : undefined
  const signature = isJsonObject(google) ? google.thought_signature : undefined
  return typeof signature === 'string' && signature !== '' ? signature : undefined
}
