export type RatePolicy = Readonly<{
  /** An operation id, or `default` for all operations without a limit of their own. */
  name: string
  quota: number
  windowSeconds: number
}>

export type RateLimits = ReadonlyMap<string, RatePolicy>

const SECONDS: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
])
const MOST = 1_000_000_000

/** Reads `promptAgent=60/m,default=600/m`. */
export function parseRateLimits(text: string): RateLimits {
  const limits = new Map<string, RatePolicy>()
  for (const part of text.split(',')) {
    const policy = parsePart(part.trim())
    if (limits.has(policy.name))
      throw new Error(`The rate limit of "${policy.name}" is given twice. Keep one of them.`)
    limits.set(policy.name, policy)
  }
  return limits
}

function parsePart(part: string): RatePolicy {
  const [, name, count, unit = ''] =
    /^([A-Za-z0-9_.-]{1,128})\s*=\s*(\d{1,10})\s*\/\s*([a-z])$/.exec(part) ?? []
  const windowSeconds = SECONDS.get(unit)
  if (name === undefined || windowSeconds === undefined) {
    const shown = part.length > 80 ? `${part.slice(0, 80)}…` : part
    throw new Error(
      `"${shown}" is not a rate limit. Write it as NAME=COUNT/UNIT with the unit s, m, h or d, such as default=600/m.`,
    )
  }
  const quota = Number(count)
  if (quota < 1 || quota > MOST) {
    throw new Error(
      `The rate limit "${part}" allows ${quota} requests. Allow at least 1 and at most ${MOST}.`,
    )
  }
  return Object.freeze({ name, quota, windowSeconds })
}
