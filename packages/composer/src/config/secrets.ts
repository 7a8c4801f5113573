import { isRecord } from '@quire/mcp/json'
import type { Path } from './toml/layout.ts'

export const MASK = '********'

const SECRET_NAME =
  /(?:token|secret|passw(?:or)?d|pwd|passphrase|credential|authorization|cookie|signature|(?:api|access|private|secret|signing|encryption|account|auth)[-_]?key)s?$/i
const QUERY_NAME = /^(?:key|auth|sig|code|ticket)$/i
/** Shows where the secret comes from, and not the secret. */
const REFERENCE_ONLY = /^(?:(?:bearer|basic|token) )?(?:\$\{[A-Za-z_][A-Za-z0-9_]*\})+$/i
const FLAG = /^--?([A-Za-z][A-Za-z0-9_-]*)(?:=([\s\S]*))?$/

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

export function isReference(text: string): boolean {
  return text === '' || REFERENCE_ONLY.test(text)
}

/** What may be shown of the value at this place: the value itself where it is no secret. */
export function maskValue(value: unknown, path: Path, previous?: unknown): unknown {
  if (isRecord(value) || Array.isArray(value)) return value
  if (isSecretPlace(path)) return typeof value === 'string' && isReference(value) ? value : MASK
  if (typeof value !== 'string') return value
  if (keyOf(path) === 'command') return maskArgument(value, previous)
  return keyOf(path) === 'url' ? maskAddress(value) : value
}

function isSecretPlace(path: Path): boolean {
  if (path.includes('env') || path.includes('headers')) return path[0] === 'servers'
  const key = keyOf(path)
  return isSecretName(key) || (path[0] === 'authentication' && /^keys?$/.test(key))
}

/** The name by which a value goes; an item goes by its list's. */
function keyOf(path: Path): string {
  const key = path.findLast((part) => typeof part === 'string')
  return typeof key === 'string' ? key : ''
}

/** `--token=…` and what follows `--token`. */
function maskArgument(text: string, previous: unknown): string {
  const [, name = '', value] = FLAG.exec(text) ?? []
  if (value !== undefined)
    return isSecretName(name) && !isReference(value) ? text.slice(0, -value.length) + MASK : text
  const [, flag = '', joined] = typeof previous === 'string' ? (FLAG.exec(previous) ?? []) : []
  const follows = joined === undefined && isSecretName(flag) && !text.startsWith('-')
  return follows && !isReference(text) ? MASK : text
}

function maskAddress(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, `$1${MASK}@`)
    .replace(/([?&])([^=&#]{1,200})=([^&#]*)/g, (whole, mark: string, name: string, value: string) => {
      const isSecret = isSecretName(name) || QUERY_NAME.test(name)
      return isSecret && !isReference(value) ? `${mark}${name}=${MASK}` : whole
    })
}
