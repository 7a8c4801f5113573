const LONGEST_TARGET = 8192
const PLAIN_CHARACTERS = /^[\x21-\x7e]*$/
const BAD_ENCODING = /%(?![0-9a-f]{2})/i
const ENCODED_CONTROL = /%(?:[01][0-9a-f]|7f)/i
const ENCODED_SEPARATOR = /%(?:2f|5c)/i
const ENCODED_BACKSLASH = /%5c/i
const DOT_SEGMENT = /(?:^|\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i

/**
 * Looks at the request target as it came over the wire, before any URL parser smooths it, and says what is wrong with it.
 * Two parsers that read one path differently are how a guard is passed by: what can be read in two ways is refused.
 */
export function faultInPath(target: string, allowsEncodedSlash = false): string | undefined {
  if (!target.startsWith('/')) return 'The request target must be a path that begins with "/".'
  if (target.length > LONGEST_TARGET) return `The request target is longer than ${LONGEST_TARGET} characters.`
  if (!PLAIN_CHARACTERS.test(target) || target.includes('#'))
    return 'The request target holds a character that must be percent-encoded.'
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  if (path.includes('//')) return 'The path holds an empty segment ("//").'
  if (path.includes('\\') || path.includes(';'))
    return 'The path holds "\\" or ";": percent-encode it where it is part of a name.'
  if (!path.includes('%') && !path.includes('.')) return undefined
  if (DOT_SEGMENT.test(path)) return 'The path holds a "." or ".." segment.'
  if (BAD_ENCODING.test(path) || ENCODED_CONTROL.test(path) || !isUtf8(path))
    return 'The path is not percent-encoded UTF-8 text.'
  if ((allowsEncodedSlash ? ENCODED_BACKSLASH : ENCODED_SEPARATOR).test(path))
    return 'The path holds an encoded slash or backslash.'
  return undefined
}

function isUtf8(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
