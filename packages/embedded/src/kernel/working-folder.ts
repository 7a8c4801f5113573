import { realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { parentOf } from '../folder/api-path.ts'

/** The nearest folder on the way up from a path of the API, as a path below the root: what is not there, or leads out, is passed over. */
export async function findWorkingFolder(root: string, path: string): Promise<string> {
  for (let at = path; at !== ''; at = parentOf(at)) {
    const found = await folderAt(join(root, at))
    if (found?.startsWith(root + sep)) return relative(root, found)
  }
  return ''
}

async function folderAt(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path)
    return (await stat(real)).isDirectory() ? real : undefined
  } catch {
    // Whatever keeps us from it: the one above will do.
    return undefined
  }
}
