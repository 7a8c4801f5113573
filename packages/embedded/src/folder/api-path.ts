import { CallerError } from '@quire/kit/errors'

const LONGEST_NAME = 255
const LONGEST_PATH = 4_096
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNUSABLE = /[\u0000-\u001f\u007f\\/]/

/** A path of the API in its one spelling: names with slashes between, none at either end. The folder itself is the empty text. */
export function parseApiPath(text: string): string {
  const names = text.split('/').filter((name) => name !== '')
  const fault = text.length > LONGEST_PATH ? 'is too long' : names.map(faultInName).find(Boolean)
  if (fault) throw new CallerError('not_found', `No such file or directory: the path ${fault}.`)
  return names.join('/')
}

/** A path as it stands in an address. */
export function decodeApiPath(encoded: string): string {
  try {
    // Each by itself: a slash that was encoded is part of a name, and no name may have one.
    return encoded
      .split('/')
      .map((part) => {
        const name = decodeURIComponent(part)
        if (name.includes('/')) throw new URIError('a slash in a name')
        return name
      })
      .join('/')
  } catch (error) {
    throw new CallerError(
      'path_shape',
      'The path is not percent-encoded text, or a name in it has a slash.',
      {
        cause: error,
      },
    )
  }
}

export function isHidden(path: string): boolean {
  return path.split('/').some((name) => name.startsWith('.'))
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

function faultInName(name: string): string | undefined {
  if (name === '.' || name === '..') return 'has a "." or ".." in it'
  if (UNUSABLE.test(name) || !name.isWellFormed()) return 'has a character that no name may have'
  if (Buffer.byteLength(name) > LONGEST_NAME) return 'has a name that is too long'
  return undefined
}
