const MASK = '***'
/** Shorter is a word to please a server that wants some key, and would tear holes into every message. */
const SHORTEST_SECRET = 6
const KEY_LIKE =
  /\b(?:(?:sk|pk|rk|gsk|xai|key|api)[-_][\w*.-]{6,}|AIza[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{8,}|eyJ[\w-]{8,}\.[\w.-]+)|\bBearer\s+\S+/g

/** Hides the given secrets, and what looks like a key: providers quote the key that they do not like. */
export function createMask(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter(({ length }) => length >= SHORTEST_SECRET)
  return (text) =>
    known.reduce((masked, secret) => masked.replaceAll(secret, MASK), text).replace(KEY_LIKE, MASK)
}
