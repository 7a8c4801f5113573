/** The folder that a path is in; the empty string is the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Whether a path is another, or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '' || path.startsWith(`${folder}/`)
}

/** For sentences: the root has no name of its own. */
export function showPath(path: string): string {
  return path === '' ? 'root' : path
}
