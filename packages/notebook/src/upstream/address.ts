import { ToolError } from '../tool-error.ts'

const LONGEST_SHOWN = 300

/** The address of a server as everything else uses it: with its path prefix, without a slash at the end. */
export function parseAddress(text: string): string {
  // The parser would drop some of these and turn the others round, silently.
  if (/[\s\p{Cc}\\]/u.test(text)) throw refuse('it has spaces, control characters or backslashes')
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw refuse('it must begin with http:// or https://, such as http://localhost:8888')
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse('it carries a user name or a password; give the password in its own setting')
  }
  if (url.searchParams.has('token')) throw refuse('it carries a token; give the token in its own setting')
  if (text.includes('?') || text.includes('#')) throw refuse('it must have neither a query nor a fragment')
  if (/\/\/|%2f|%5c|%00/i.test(url.pathname)) throw refuse('its path has empty or encoded segments')
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`
}

/** A URL of this server. Each raw segment stays one segment, whatever it holds. */
export function toUrl(
  base: string,
  segments: readonly string[],
  query: Readonly<Record<string, string>> = {},
): URL {
  const url = new URL(`${base}/${segments.map(encodeSegment).join('/')}`)
  url.search = new URLSearchParams(query).toString()
  return url
}

/** For error texts: no query, for it may hold what must not be shown. */
export function showUrl(url: URL): string {
  const text = `${url.origin}${url.pathname}`
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

/** The segments of `folder/x.ipynb`, none for the root. The caller has looked at it before: this is the last line of defence. */
export function parseServerPath(path: string): readonly string[] {
  return path === '' ? [] : path.split('/').map(checkSegment)
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(checkSegment(segment))
}

function checkSegment(segment: string): string {
  const isHarmless =
    segment !== '' &&
    segment !== '.' &&
    segment !== '..' &&
    !/[/\\\p{Cc}]/u.test(segment) &&
    segment.isWellFormed()
  if (isHarmless) return segment
  throw new ToolError(
    'invalid_argument',
    `${JSON.stringify(segment.slice(0, 80))} cannot be a part of a path on the notebook server: empty parts, ".", "..", backslashes and control characters are refused. Give the path relative to the server's root, such as folder/notebook.ipynb.`,
  )
}

function refuse(why: string): ToolError {
  // The address itself is not repeated: it may hold a secret.
  return new ToolError('invalid_argument', `The address of the notebook server cannot be used: ${why}.`)
}
