import { isRecord } from '@quire/mcp/json'
import type { Path } from './toml/layout.ts'

export const MASK = '********'

const SECRET_NAME =
  /(?:token|secret|passw(?:or)?d|(?<![a-z])pass|pwd|dsn|passphrase|credential|authorization|cookie|signature|(?:api|access|private|secret|signing|encryption|account|auth)[-_]?key)s?$/i
const QUERY_NAME = /^(?:key|auth|sig|code|ticket)$/i
/** Shows where the secret comes from, and not the secret. */
const REFERENCE_ONLY = /^(?:(?:bearer|basic|token) )?(?:\$\{[A-Za-z_][A-Za-z0-9_]*\})+$/i
/** `NAME=value` and `Name: value`, alone or behind a flag of their own: `--env=NAME=value`. */
const ASSIGNMENT = /^((?:--?[A-Za-z][A-Za-z0-9_-]*=)?([A-Za-z_][A-Za-z0-9_-]*)(?:=|:\s))([\s\S]+)$/
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

/** `--token=…`, what follows `--token`, `API_TOKEN=…`, `Authorization: …`, and addresses with a password. */
function maskArgument(text: string, previous: unknown): string {
  const [, name = '', value] = FLAG.exec(text) ?? []
  if (value !== undefined && isSecretName(name))
    return isReference(value) ? text : text.slice(0, text.length - value.length) + MASK
  const [, flag = '', joined] = typeof previous === 'string' ? (FLAG.exec(previous) ?? []) : []
  const follows = joined === undefined && isSecretName(flag) && !text.startsWith('-')
  if (follows) return isReference(text) ? text : MASK
  const [, before = '', variable = '', assigned = ''] = ASSIGNMENT.exec(text) ?? []
  const isSecret = isSecretName(variable) || (/^[A-Z0-9_]+$/.test(variable) && looksSecret(assigned))
  return isSecret && !isReference(assigned) ? before + MASK : maskAddress(text)
}

/** With the name and password before its host, and each secret of its query, masked; it may stand behind other words. */
function maskAddress(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^/?#\s]{0,2000}@/gi, `$1${MASK}@`)
    .replace(/([?&])([^=&#]{1,200})=([^&#]*)/g, (whole, mark: string, name: string, value: string) => {
      const isSecret = isSecretName(name) || QUERY_NAME.test(name)
      return isSecret && !isReference(value) ? `${mark}${name}=${MASK}` : whole
    })
}

const SHORTEST_RANDOM = 20
const PATH = /^(?:~|\.{1,2}|[A-Za-z]:)?[/\\]|^[a-z][a-z0-9+.-]{0,30}:\/\//i

/** By its value alone: long, of letters and digits. A path or an address is one only if it has a password or a part that is one. */
export function looksSecret(value: string): boolean {
  if (!PATH.test(value)) return isLongMix(value)
  return maskAddress(value) !== value || value.split(/[/\\?&=:#]/).some(isLongMix)
}

function isLongMix(text: string): boolean {
  return text.length >= SHORTEST_RANDOM && /\d/.test(text) && /[A-Za-z]/.test(text)
}

/** What a masked text does not show. */
export function hiddenIn(text: string, masked: string): string {
  const start = masked.indexOf(MASK)
  if (start < 0 || text === masked) return ''
  return text.slice(start, text.length - (masked.length - masked.lastIndexOf(MASK) - MASK.length))
}
