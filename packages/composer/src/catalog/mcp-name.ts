import { hash } from 'node:crypto'

const LONGEST = 64
const HASH_LENGTH = 8

/** Whether every client takes it for a name. */
export function isMcpName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text)
}

/** The nearest name that every client takes; what had to be cut ends with a hash of the id. */
export function toMcpName(text: string, id: string): string {
  const plain = text.replace(/[^A-Za-z0-9_-]/gu, '_')
  return isMcpName(plain) ? plain : withHash(plain, id)
}

/** Another name for what cannot have this one. Attempts count up until one is free. */
export function withHash(name: string, id: string, attempt = 0): string {
  const digest = hash('sha256', attempt === 0 ? id : `${id}#${attempt}`, 'hex').slice(0, HASH_LENGTH)
  return `${name.slice(0, LONGEST - HASH_LENGTH - 1)}_${digest}`
}
