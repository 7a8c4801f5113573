import { ToolError } from './tool-error.ts'

export interface PathFence {
  /** The path as the notebook server knows it: no slash at either end, '' for the root. Throws a `ToolError` for one that may not be touched. */
  check(path: string): string
  /** The same for a folder that is only listed: it may also lead to what is allowed. */
  checkFolder(path: string): string
  /** Whether a listing may show what it found at this path: it is allowed, or leads there. */
  isVisible(path: string): boolean
}

const LONGEST_PATH = 1024
const LONGEST_SEGMENT = 255
const ALLOWED_SHOWN = 10
const QUOTED = 100

// Line separators and what turns the direction of text: a name must look like what it is.
const UNSEEN = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u
const ELSEWHERE = /^(?:~|[a-z]:|[a-z][a-z\d+.-]*:\/|(?:file|https?|ftp|data|javascript|blob):)/i
// Windows takes trailing dots and blanks away, so ".. " is a way up as well.
const DOTS = /^[. ]+$/
/** Dots, slashes, backslashes and control characters, also in the overlong forms and with %u that lenient decoders take. */
const ENCODED = /%(?:2e|2f|5c|[01][\da-f]|7f|c[01]|e0%[89]|f0%8|u00)/i
const ENCODED_ASCII = /%([0-7][\da-f])/gi

/** Fences the paths that callers name. `allowed` are files, and folders with all that is in them; an empty list allows everything. */
export function createPathFence(allowed: readonly string[]): PathFence {
  const roots = allowed.map((path) => comparable(normalise(path)))
  const isInside = (path: string) =>
    roots.length === 0 || roots.some((root) => contains(root, comparable(path)))
  const isVisible = (path: string) => isInside(path) || roots.some((root) => contains(comparable(path), root))

  function check(path: string): string {
    const normalised = normalise(path)
    if (!isInside(normalised)) throw outside(path)
    return normalised
  }

  function checkFolder(path: string): string {
    const normalised = normalise(path)
    if (!isVisible(normalised)) throw outside(path)
    return normalised
  }

  function outside(path: string): ToolError {
    const shown = allowed.slice(0, ALLOWED_SHOWN).map(quote)
    const more = allowed.length > ALLOWED_SHOWN ? ` and ${allowed.length - ALLOWED_SHOWN} more` : ''
    const message = `The path ${quote(path)} is outside of what may be used here. Use a path within ${shown.join(', ')}${more}.`
    return new ToolError('forbidden', message)
  }

  return Object.freeze({ check, checkFolder, isVisible })
}

/** Whoever reads the path later may decode it, or take it for something else: what can be read in two ways is refused. */
function normalise(path: string): string {
  const fault = faultIn(path)
  if (fault)
    throw new ToolError(
      'invalid_argument',
      `The path ${quote(path)} ${fault}. Name it relative to the folder of the notebook server, such as "folder/notebook.ipynb".`,
    )
  return withoutHere(withoutOuterSlashes(path))
}

function faultIn(path: string): string | undefined {
  if (path.length > LONGEST_PATH) return `is longer than ${LONGEST_PATH} characters`
  if (!path.isWellFormed()) return 'holds half a character'
  if (UNSEEN.test(path)) return 'holds a control character'
  if (path.includes('\\')) return 'holds a backslash'
  if (holdsEncoded(path)) return 'holds a percent-encoded dot, slash, backslash or control character'
  const relative = withoutHere(withoutOuterSlashes(path))
  if (ELSEWHERE.test(relative)) return 'is a home folder, a drive or a URL'
  if (relative === '') return /^\/?(?:\.\/?)*$/.test(path) ? undefined : 'holds an empty segment'
  const segments = relative.split('/')
  if (segments.includes('')) return 'holds an empty segment'
  if (segments.some((segment) => DOTS.test(segment))) return 'goes up, or holds a name of dots'
  if (segments.some((segment) => Buffer.byteLength(segment) > LONGEST_SEGMENT))
    return `holds a name of more than ${LONGEST_SEGMENT} bytes`
  return undefined
}

/** However many times over it was encoded. Every round makes the text shorter. */
function holdsEncoded(path: string): boolean {
  for (let text = path; ; ) {
    if (ENCODED.test(text)) return true
    const decoded = text.replace(ENCODED_ASCII, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    if (decoded === text) return false
    text = decoded
  }
}

/** `./x` and `x/.` are what they are without it. */
function withoutHere(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '.')
    .join('/')
}

function withoutOuterSlashes(path: string): string {
  return path.replace(/^\//, '').replace(/\/$/, '')
}

/** One name may be written in several ways in Unicode, and file systems disagree on which. */
function comparable(path: string): string {
  return path.normalize('NFC')
}

function contains(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

function quote(path: string): string {
  const short = path.length > QUOTED ? `${path.slice(0, QUOTED)}…` : path
  return JSON.stringify(short.replaceAll(new RegExp(UNSEEN, 'gu'), '\ufffd').toWellFormed())
}
