import { expirySignal } from '@quire/kit/auth/expiry'
import type { Principal, TokenVerifier } from '@quire/kit/auth/principal'
import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import { z } from 'zod'
import { loadFunction } from '../load-function.ts'

export interface ModuleVerifierOptions {
  readonly logger: Logger
  /** What relative paths are relative to, and where packages are looked for first. */
  readonly cwd: string
  readonly deadlineMs?: number
  readonly now?: () => number
}

const SETTING = '--mcp-token-verifier'
const DEADLINE_MS = 10_000
/** The year 5138 in seconds; somebody who means 1973 in milliseconds is not to get a token for ever. */
const LATEST_SECONDS = 1e11

const Expiry = z.union([
  z.number().positive().max(LATEST_SECONDS, 'must be seconds since the epoch, not milliseconds'),
  z.date().transform((date) => date.getTime() / 1000),
  z.iso.datetime({ offset: true }).transform((text) => Date.parse(text) / 1000),
])

/** What a verifier answers for a token that it accepts. `expiresAt`: seconds since the epoch (as `exp` in a JWT), a Date, or an ISO 8601 text. */
const Verdict = z.object({
  subject: z.string().min(1),
  scopes: z.array(z.string()),
  expiresAt: Expiry.optional(),
})

type Verify = (token: string) => unknown

/**
 * A verifier of the operator's own: the default export of an ES module, `(token) => { subject, scopes, expiresAt? } | null`, at once or as a promise.
 * Whatever else it answers lets nobody in; when it throws or takes too long, the caller is told to try again (503).
 */
export async function loadModuleVerifier(
  name: string,
  options: ModuleVerifierOptions,
): Promise<TokenVerifier> {
  const verify: Verify = await loadFunction(name, { setting: SETTING, cwd: options.cwd })
  const { logger, deadlineMs = DEADLINE_MS, now = Date.now } = options

  return async function verifyWithModule(token) {
    const answer = await ask(verify, token, deadlineMs)
    if (answer === null) return null
    const verdict = Verdict.safeParse(answer)
    if (!verdict.success) {
      const faults = verdict.error.issues.map(
        ({ path, message }) => `${path.join('.') || 'answer'}: ${message}`,
      )
      logger.error({ faults }, 'the token verifier gave an answer of the wrong shape; the token is refused')
      return null
    }
    return toPrincipal(verdict.data, now())
  }
}

function toPrincipal(
  { subject, scopes, expiresAt }: z.output<typeof Verdict>,
  now: number,
): Principal | null {
  const expiry = expiresAt === undefined ? undefined : expiresAt * 1000
  if (expiry !== undefined && expiry <= now) return null
  return Object.freeze({
    subject,
    scopes: new Set(scopes),
    ...(expiry !== undefined && { revoked: expirySignal(expiry, now) }),
  })
}

async function ask(verify: Verify, token: string, deadlineMs: number): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs)
  try {
    return await Promise.race([Promise.try(verify, token), late])
  } catch (error) {
    throw new CallerError('unavailable', 'Tokens cannot be verified right now. Try again in a moment.', {
      cause: error,
    })
  } finally {
    clearTimeout(timer)
  }
}
