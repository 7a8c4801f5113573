/** The one list of what counts as a secret by its name; headers, object keys, URLs and text all use it. */

const WORDS = [
  'token',
  'secret',
  'passw(?:or)?d',
  'pwd',
  'passphrase',
  'credentials?',
  'api[-_ ]?keys?',
  '(?:access|private|secret|signing|encryption|account)[-_ ]?keys?',
  'secrets',
  'passwords',
  '(?:proxy[-_])?authorization',
  '(?:set[-_])?cookies?',
  'xsrf',
  'csrf',
  'bearer',
  'signature',
]

/** A name ends in one of these; written for a case-insensitive expression. */
export const SECRET_NAME = `(?:${WORDS.join('|')})`

const SECRET_KEY = new RegExp(`${SECRET_NAME}$`, 'i')

/** `tokens` counts as well as lists them: only texts and lists under such a name are secrets. */
const TOKEN_LIST = /tokens$/i

export function isSecretKey(key: string, value: unknown): boolean {
  if (value === null || value === undefined || value === '' || typeof value === 'boolean') return false
  if (TOKEN_LIST.test(key)) return typeof value === 'string' || Array.isArray(value)
  return SECRET_KEY.test(key)
}

/** Names that are secrets in a query string and ordinary words elsewhere. */
export const SECRET_PARAMETER = '(?:key|auth|sig|code|ticket)'
