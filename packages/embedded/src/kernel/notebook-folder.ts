import { readdir, readlink, realpath } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'

const MAX_ENTRIES = 200_000
const MAX_NAMED = 3

/**
 * The real path of a folder that a kernel may have as its own.
 * Node's permission model follows links wherever they lead, and the kernel could move one that leads up: a folder that holds such a link is refused.
 */
export async function toKernelFolder(folder: string): Promise<string> {
  const real = await realpath(folder)
  if (real.includes('*'))
    throw new Error(
      `the notebook folder ${real} has a "*" in its path, which would allow more than it: rename it`,
    )
  const leading = await findLinksOut(real)
  if (leading.length > 0)
    throw new Error(
      `the notebook folder holds links that lead, or could be made to lead, out of it: ${leading.join(', ')}. Remove them, or copy what they point to, and restart the kernel`,
    )
  return real
}

async function findLinksOut(root: string): Promise<string[]> {
  const found: string[] = []
  const waiting = [root]
  let seen = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      seen += 1
      if (seen > MAX_ENTRIES)
        throw new Error(
          `the notebook folder holds more than ${MAX_ENTRIES} files, too many to look for links that lead out of it: choose a smaller one`,
        )
      const path = join(folder, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      else if (entry.isSymbolicLink() && leadsOut(await readlink(path), root))
        found.push(path.slice(root.length + 1))
      if (found.length >= MAX_NAMED) return found
    }
  }
  return found
}

/** Without a step up, a link leads down from wherever it is moved to. */
function leadsOut(target: string, root: string): boolean {
  if (target.split(sep).includes('..')) return true
  return isAbsolute(target) && target !== root && !target.startsWith(`${root}${sep}`)
}
