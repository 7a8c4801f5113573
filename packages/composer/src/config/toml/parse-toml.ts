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
    if (error instanceof TomlError) return faultAt(error.line, error.column, reasonOf(error))
    throw error
  }
}

const TOO_DEEP = `nests tables or lists more than ${MAX_CONFIG_DEPTH} deep`

function faultAt(line: number, column: number, message: string): ParsedToml {
  return { fault: { line, column, message } }
}

/** The first line alone: below it the parser shows the text, and with it perhaps a secret. */
function reasonOf(error: TomlError): string {
  const [first = ''] = error.message.split('\n')
  const reason = first.replace('Invalid TOML document: ', '')
  if (reason.includes('unsafe property')) return 'uses a key named "__proto__" or "constructor": rename it'
  return `is not valid TOML: ${reason}`
}
