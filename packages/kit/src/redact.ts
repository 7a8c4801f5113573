import { SECRET_NAME, SECRET_PARAMETER } from './redact-names.ts'
import { redactValue } from './redact-value.ts'

export const MASK = '[redacted]'

export type Redactor = Readonly<{
  /** From now on this value is masked wherever it appears. Trivially short ones are ignored: they would mask ordinary words. */
  add(secret: string): void
  /** Masks known secrets and what looks like one; a text beyond the limit is cut, never through a secret. */
  text(text: string, limit?: number): string
  /** A plain copy that is safe to write: keys, texts, errors with their causes, headers, URLs, cycles, bounded in size. */
  value(value: unknown): unknown
  record(record: Record<string, unknown>): Record<string, unknown>
}>

const SHORTEST_SECRET = 6
const SECRETS_KEPT = 500
const TEXT_LIMIT = 32_768

export function createRedactor(options: { secrets?: readonly string[] } = {}): Redactor {
  const permanent = new Set<string>()
  const formsOfSecret = new Map<string, readonly string[]>()
  let forms: readonly string[] = []

  for (const secret of options.secrets ?? []) permanent.add(secret.trim())
  for (const secret of permanent) add(secret)

  function add(secret: string): void {
    const value = secret.trim()
    if (value.length < SHORTEST_SECRET || formsOfSecret.has(value)) return
    formsOfSecret.set(value, writtenForms(value))
    // Sessions renew their cookies for months: the oldest of those is forgotten, a configured secret never.
    const oldest =
      formsOfSecret.size > SECRETS_KEPT && formsOfSecret.keys().find((key) => !permanent.has(key))
    if (oldest) formsOfSecret.delete(oldest)
    forms = [...formsOfSecret.values()].flat().sort((one, other) => other.length - one.length)
  }

  function text(input: string, limit = TEXT_LIMIT): string {
    if (input.length <= limit) return maskPatterns(maskKnown(input))
    // Reads one secret further than it shows, so that none is cut in half and shown.
    const margin = forms[0]?.length ?? 0
    const masked = maskPatterns(maskKnown(input.slice(0, limit + margin)))
    return `${masked.slice(0, Math.max(0, Math.min(limit, masked.length - margin)))}… [${input.length - limit} characters cut]`
  }

  function maskKnown(input: string): string {
    let output = input
    for (const form of forms) if (output.includes(form)) output = output.replaceAll(form, MASK)
    return output
  }

  const value = (input: unknown) => redactValue(input, { text, mask: MASK })
  return Object.freeze({
    add,
    text,
    value,
    record: (input: Record<string, unknown>) => ({ ...Object(value(input)) }),
  })
}

/** As it is, inside a JSON text, inside a JSON text that is itself a JSON string, and in a URL. */
function writtenForms(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const nested = JSON.stringify(json).slice(1, -1)
  const encoded = encodeURIComponent(secret.toWellFormed())
  return [...new Set([secret, json, nested, encoded])]
}

// Each is linear: no repetition inside a repetition, and every unbounded run stops at a character it cannot contain.
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Tokens of our own making, and the sub-protocol that carries any token over a WebSocket.
  [/\bquire_[A-Za-z0-9_-]{20,}/g, MASK],
  [/\b(quire\.bearer\.)[A-Za-z0-9_-]+/g, `$1${MASK}`],
  [
    /(authorization["']?\s{0,8}[:=]\s{0,8}["']?(?:(?:bearer|basic|token|digest)\s{1,8})?)[^\s"',;\\]+/gi,
    `$1${MASK}`,
  ],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"'<>\\]{1,1024}@/gi, `$1${MASK}@`],
  [new RegExp(`(${SECRET_NAME}=)[^\\s&;,"'<>\\\\)]+`, 'gi'), `$1${MASK}`],
  [new RegExp(`([?&]${SECRET_PARAMETER}=)[^\\s&;,"'<>\\\\)]+`, 'gi'), `$1${MASK}`],
  [new RegExp(`(${SECRET_NAME}"\\s{0,8}:\\s{0,8}")(?:[^"\\\\]|\\\\.)+`, 'gi'), `$1${MASK}`],
  [new RegExp(`(${SECRET_NAME}\\\\"\\s{0,8}:\\s{0,8}\\\\")(?:[^"\\\\]|\\\\{2,}"?)+`, 'gi'), `$1${MASK}`],
  [/\b((?:bearer|basic|token)\s{1,8})(?=[^\s"',;\\]{0,256}\d)[A-Za-z0-9._~+/=-]{8,}/gi, `$1${MASK}`],
  [/(cookie["']?\s{0,8}:\s{0,8}["']?)[^\s=;"'\\]{1,256}=[^\r\n"'\\]+/gi, `$1${MASK}`],
  [
    /((?:x-api-key|x-xsrftoken|x-csrftoken|x-auth-token)["']?\s{0,8}:\s{0,8}["']?)[^\s"',;\\]+/gi,
    `$1${MASK}`,
  ],
]

/** Nearly every text that is logged has none of these, and is done. */
const SUSPICIOUS = /quire[_.]|[=@]|":|\\":|cookie|x-|authorization|bearer|basic|token/i

function maskPatterns(input: string): string {
  if (!SUSPICIOUS.test(input)) return input
  let output = input
  for (const [pattern, replacement] of PATTERNS) output = output.replace(pattern, replacement)
  return output
}
