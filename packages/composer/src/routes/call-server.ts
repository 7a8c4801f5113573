import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError } from '@quire/kit/errors'
import type { Context } from 'hono'
import { ComposerError } from '../composer-error.ts'
import { outcomeOf } from '../gateway/outcome.ts'
import { INVALID_PARAMS, RESOURCE_NOT_FOUND } from '../gateway/rpc-codes.ts'
import type { Asker, Params, RawJson, RpcError } from '../rpc.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'
import { quoteName } from './known-names.ts'
import type { ComposerParts } from './parts.ts'
import type { Deed } from './recorded.ts'

/** A server wants something of the user before it goes on: of a capability that we did not offer, or at an address. */
const ASKS_FIRST: ReadonlySet<number> = new Set([-32021, -32042])
const LONGEST_REASON = 2_048

/** For those who send the arguments as MCP does. */
export const WRAPPED =
  'The body is the object of the arguments itself: send {…} in place of {"arguments": {…}}.'

export interface Answer {
  readonly result: RawJson
  readonly isToolError: boolean
  readonly ms: number
}

/** One request over REST to one server: a client that can be asked nothing, and whose leaving cancels it. */
export async function callServer(
  c: Context<ServiceEnv>,
  parts: Pick<ComposerParts, 'supervisor' | 'calls' | 'redactor' | 'limit'>,
  deed: Deed,
  params: Params,
): Promise<Answer> {
  await parts.limit(c.get('principal'))
  const server = requireServerOf(parts, deed)
  const startedAt = performance.now()
  const reply = await parts.calls.request(server, deed.method, params, askerOf(c.req.raw.signal))
  const ms = Math.round((performance.now() - startedAt) * 100) / 100
  const outcome = outcomeOf(reply)
  deed.outcome = outcome
  if ('error' in reply) throw toFailure(reply.error, deed.method, server.name, parts.redactor)
  if (outcome === 'asked') throw asksFirst(server.name)
  return { result: reply.result, isToolError: outcome === 'tool_error', ms }
}

/** The result goes out byte by byte as it came in. */
export function writeAnswer({ result, ms }: Answer, fields = ''): Response {
  const body = Buffer.concat([
    Buffer.from('{"result":'),
    result,
    Buffer.from(`${fields},"execution_time_ms":${ms}}`),
  ])
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

function requireServerOf(
  { supervisor }: Pick<ComposerParts, 'supervisor'>,
  { server = '' }: Deed,
): SupervisedServer {
  const found = supervisor.find(server)
  if (found) return found
  throw new ComposerError('SERVER_NOT_FOUND', `The server ${quoteName(server)} has just been removed.`)
}

function askerOf(signal: AbortSignal): Asker {
  return { era: 'legacy', capabilities: {}, client: {}, signal }
}

/** A resource has no parameters but its URI: newer servers say of one that they do not have that it is invalid. */
function toFailure(
  { code, message }: RpcError,
  method: string,
  server: string,
  redactor: Pick<ComposerParts['redactor'], 'text'>,
): CallerError {
  if (ASKS_FIRST.has(code)) return asksFirst(server)
  const detail = `The server ${quoteName(server)} refused it (${code}): ${redactor.text(message, LONGEST_REASON)}`
  if (code === RESOURCE_NOT_FOUND || (code === INVALID_PARAMS && method === 'resources/read'))
    return new ComposerError('NOT_FOUND', detail)
  if (code === INVALID_PARAMS) return new ComposerError('VALIDATION_ERROR', detail)
  return new CallerError('internal', detail, { code: 'TOOL_EXECUTION_FAILED' })
}

function asksFirst(server: string): CallerError {
  return new CallerError(
    'validation',
    `The server ${quoteName(server)} wants to ask the user something first, which cannot be answered over REST. Call it over MCP, at /mcp, with a client that can be asked.`,
    { status: 400, code: 'INPUT_REQUIRED' },
  )
}
