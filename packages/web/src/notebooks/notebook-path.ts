const LONGEST_NAME = 200

export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** What a person calls it. */
export function titleOf(path: string): string {
  return fileNameOf(path).replace(/\.ipynb$/, '')
}

/** Of a notebook that a person calls so. */
export function toFilePath(folder: string, name: string): string {
  const file = `${name.trim().replace(/\.ipynb$/, '')}.ipynb`
  return folder === '' ? file : `${folder}/${file}`
}

/** The name under which this page has a notebook in use. */
export function toolNameOf(path: string): string {
  return path.slice(-LONGEST_NAME)
}

/** A slash within a name would be taken for one between folders, so each part is written for itself. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
