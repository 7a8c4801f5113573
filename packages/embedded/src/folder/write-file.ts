import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export type WriteFile = (path: string, data: string | Uint8Array) => Promise<void>

const NEW_FILE_MODE = 0o644

/** The old or the new, whole, whatever happens: a reader never sees a part of it, and a failure leaves the old one. */
export const writeFileAtomically: WriteFile = async (path, data) => {
  const folder = dirname(path)
  const temporary = join(folder, `.quire-${randomUUID()}.tmp`)
  const mode = await stat(path).then(
    ({ mode }) => mode & 0o777,
    () => NEW_FILE_MODE,
  )
  try {
    const handle = await open(temporary, 'wx', mode)
    try {
      await handle.writeFile(data)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(folder)
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
