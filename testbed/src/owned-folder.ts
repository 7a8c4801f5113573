import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const END_DEADLINE_MS = 10_000
const POLL_MS = 20

/** A temporary folder of this process. Every process started for it has the folder's path in its environment, and is found by that. */
export async function createOwnedFolder(kind: string): Promise<string> {
  const prefix = `quire-${kind}-`
  await removeStaleFolders(prefix)
  return mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
}

/** Also finds what has left its parent's session, as notebook kernels do. What has ended but was not waited for is not found. */
export async function findProcesses(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      // A process may end while we look, and those of other users are not ours.
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
      return environment.includes(folder) ? [Number(pid)] : []
    }),
  )
  return found.flat().filter((pid) => pid !== process.pid)
}

/** Kills until nothing is left: a process may have started another between our look and its end. */
export async function killProcesses(folder: string): Promise<void> {
  const deadline = AbortSignal.timeout(END_DEADLINE_MS)
  for (;;) {
    const pids = await findProcesses(folder)
    if (pids.length === 0) return
    if (deadline.aborted) throw new Error(`Processes ${pids.join(', ')} of ${folder} did not end.`)
    for (const pid of pids) kill(pid)
    await delay(POLL_MS)
  }
}

export async function removeOwnedFolder(folder: string): Promise<void> {
  await killProcesses(folder)
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** What a run that was killed could not remove. */
async function removeStaleFolders(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const owner = Number.parseInt(name.slice(prefix.length), 10)
    if (owner > 0 && !isAlive(owner)) await removeOwnedFolder(join(tmpdir(), name))
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
