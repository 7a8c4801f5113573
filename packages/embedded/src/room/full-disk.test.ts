import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { joinRoom, openRawRoom, saveThrough } from '../fixtures/room-client.ts'
import { newFolder, notebookOf, removeFolder, startEmbedded } from '../fixtures/start-embedded.ts'

const BYTES = 256 * 1024

/** Where it may be mounted, which takes rights that few have. */
function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${BYTES}`, 'none', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test('a disk that is really full: the save fails and says so, the edits stay, and are saved when there is space', async ({
  skip,
}) => {
  const folder = newFolder()
  if (!mountSmallDisk(folder)) {
    await removeFolder(folder)
    skip('a small disk cannot be mounted here')
  }
  const server = await startEmbedded({ folder })
  try {
    await server.put('n.ipynb', notebookOf('a'))
    const client = await joinRoom(server, 'n.ipynb')
    const { fileId, sessionId } = await server.session('n.ipynb')
    const raw = await openRawRoom(server, fileId, `?sessionId=${sessionId}`)
    const ballast = join(folder, 'ballast')
    await writeFile(ballast, Buffer.alloc(BYTES)).catch(() => undefined)
    const text = 'x'.repeat(20_000)
    client.notebook.cells[0]?.setSource(text)
    await raw.next((frame) => frame.includes(text))
    expect(await saveThrough(raw, 1)).toBe('failed')
    expect(client.notebook.getState('dirty')).toBe(true)
    expect(await server.read('n.ipynb')).toBe(JSON.stringify(notebookOf('a')))
    await rm(ballast)
    await expect.poll(() => server.read('n.ipynb')).toContain(text)
    await expect.poll(() => client.notebook.getState('dirty')).toBe(false)
    raw.socket.close()
    client.close()
  } finally {
    await server.stop()
    execFileSync('umount', [folder])
    await removeFolder(folder)
  }
})
