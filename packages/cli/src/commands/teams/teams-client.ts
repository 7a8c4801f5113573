import { Failure } from '@quire/teams/contract'
import type { z } from 'zod'
import { CommandFailure } from '../../command-failure.ts'
import { toLine } from './plain-text.ts'

export interface Asking {
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The API of a team service somewhere. What it refuses is a `CommandFailure` in its own words. */
export interface TeamsClient {
  /** The JSON of an answer, as it is. */
  ask(method: 'GET' | 'POST', path: string, asking?: Asking): Promise<unknown>
  read<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>>
  /** An event stream that is open. It ends with the signal. */
  openEvents(path: string, after: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
  /** Of what is to be said by this service. */
  parse<Schema extends z.ZodType>(value: unknown, schema: Schema): z.output<Schema>
}

/** Nothing answers now; later something may. */
export class ServiceAway extends CommandFailure {
  override readonly name = 'ServiceAway'
}

export interface Address {
  readonly url: string
  readonly key?: string | undefined
}

const DEADLINE_MS = 30_000
const MAY_PASS: ReadonlySet<number> = new Set([429, 502, 503, 504])

export function createTeamsClient({ url, key }: Address): TeamsClient {
  const base = url.replace(/\/+$/, '')
  // Whoever answers there may say back what it was sent.
  const conceal = (text: string) => (key === undefined ? text : text.replaceAll(key, '[key]'))

  async function send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
    // A redirection would carry the key to somebody else.
    const response = await fetch(base + path, { ...init, headers, redirect: 'error' }).catch(fail)
    if (response.ok) return response
    throw refusal(response.status, await response.text().catch(fail))
  }

  function fail(error: unknown): never {
    const message = `Nothing answers at ${base} (${reasonOf(error)}). Is a team service running there? Start one with "quire teams serve", or say with --url where it is.`
    throw new ServiceAway(conceal(message), { cause: error })
  }

  function refusal(status: number, text: string): CommandFailure {
    const { success, data } = Failure.safeParse(toJson(text))
    const told = success ? conceal(sentencesOf(status, data)) : noTeams(status)
    return MAY_PASS.has(status) ? new ServiceAway(told) : new CommandFailure(told)
  }

  function noTeams(status: number): string {
    return `What answers at ${base} is no team service (status ${status}). Give --url the address that "quire teams serve" prints, without "/teams" at its end.`
  }

  const client: TeamsClient = {
    async ask(method, path, { body, headers = {} } = {}) {
      const response = await send(path, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(DEADLINE_MS),
      })
      const value = toJson(await response.text().catch(fail))
      if (value === undefined) throw new CommandFailure(noTeams(response.status))
      return value
    },
    read: async (path, schema) => client.parse(await client.ask('GET', path), schema),
    async openEvents(path, after, signal) {
      const headers = { accept: 'text/event-stream', 'last-event-id': String(after) }
      const { status, body, headers: given } = await send(path, { headers, signal })
      if (body && given.get('content-type')?.startsWith('text/event-stream')) return body
      throw new CommandFailure(noTeams(status))
    },
    parse(value, schema) {
      const { success, data } = schema.safeParse(value)
      if (!success) throw new CommandFailure(noTeams(200))
      return data
    },
  }
  return Object.freeze(client)
}

/** All that is wrong with a request, each on its line. */
function sentencesOf(status: number, { detail, errors = [] }: Failure): string {
  if (status === 401) return `${toLine(detail)} Give a key with --key, TEAMS_API_KEY or TEAMS_API_KEY_FILE.`
  if (errors.length < 2) return toLine(detail)
  return errors.map(({ path, message }) => toLine(`${path}: ${message}`)).join('\n')
}

/** `fetch` says "fetch failed" and keeps the reason in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof Error) return cause.message || ('code' in cause ? String(cause.code) : error.message)
  return error.message
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Whoever asks says what it means that this is no JSON.
    return undefined
  }
}
