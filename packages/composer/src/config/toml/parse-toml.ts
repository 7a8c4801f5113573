import { exceedsDepth, isRecord } from '@quire/mcp/json'
import { parse, TomlError } from 'smol-toml'

/** A TOML document as it is written: variables are not replaced, nothing is checked. */
export type TomlDocument = Readonly<Record<string, unknown>>

export type ParsedToml =
  | { readonly document: TomlDocument }
  | { readonly fault: { readonly line: number; readonly column: number; readonly message: string } }

export const MAX_CONFIG_BYTES = 1024 * 1024
const MAX_CONFIG_DEPTH = 16

export function parseToml(text: string): ParsedToml {
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) return faultAt(1, 1, 'is larger than 1 MiB')
  if (text.includes('\0')) return faultAt(1, 1, 'is not a text file: it holds NUL characters')
  try {
    const document: unknown = parse(text, { unsafeKeyBehaviour: 'throw', maxDepth: MAX_CONFIG_DEPTH })
    // The parser's own limit does not count the dots of keys and headers.
    if (!isRecord(document) || exceedsDepth(document, MAX_CONFIG_DEPTH)) return faultAt(1, 1, TOO_DEEP)
    return { document }
  } catch (error) {
    if (error instanceof TomlError) return faultAt(error.line, error.column, reasonOf(error, text))
    throw error
  }
}

const NOT_TOML = 'is not valid TOML'
const TOO_DEEP = `nests tables or lists more than ${MAX_CONFIG_DEPTH} deep`

function faultAt(line: number, column: number, message: string): ParsedToml {
  return { fault: { line, column, message } }
}

/** The first line alone: below it the parser shows the text, and with it perhaps a secret. */
function reasonOf(error: TomlError, text: string): string {
  const [first = ''] = error.message.split('\n')
  const reason = first.replace('Invalid TOML document: ', '')
  if (reason.includes('unsafe property')) return 'uses a key named "__proto__" or "constructor": rename it'
  if (reason === 'unfinished string')
    return `${NOT_TOML}: the text ends in the middle of a string: close the quote`
  if (reason.startsWith('control characters') && isAtLineEnd(error, text))
    return `${NOT_TOML}: the line ends in the middle of a string: close the quote`
  return `${NOT_TOML}: ${reason}`
}

function isAtLineEnd({ line, column }: TomlError, text: string): boolean {
  return text.split(/\r?\n/)[line - 1]?.length === column - 1
}
