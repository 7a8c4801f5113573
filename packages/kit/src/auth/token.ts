import { hash, randomBytes } from 'node:crypto'

const PREFIX = 'quire_'
const CHECKSUM_LENGTH = 6

/**
 * A new secret: 32 random bytes behind a prefix that secret scanners can look for, with a checksum that tells a typing error from a wrong key.
 */
export function createToken(): string {
  const secret = randomBytes(32).toString('base64url')
  return `${PREFIX}${secret}${checksum(secret)}`
}

/** False only for a token of our own making that was mistyped or cut off. */
export function isIntactToken(token: string): boolean {
  if (!token.startsWith(PREFIX)) return true
  const body = token.slice(PREFIX.length)
  return checksum(body.slice(0, -CHECKSUM_LENGTH)) === body.slice(-CHECKSUM_LENGTH)
}

/** False for what no `createToken` can have made. */
export function isOwnToken(token: string): boolean {
  return token.startsWith(PREFIX) && isIntactToken(token)
}

/** It has 256 bits of its own, so a fast hash is enough. */
export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** What is stored of a token. */
export function hashToken(token: string): string {
  return digestOf(token).toString('hex')
}

function checksum(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, CHECKSUM_LENGTH)
}
