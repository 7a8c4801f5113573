import { readdir, readFile } from 'node:fs/promises'

/** False when there is nobody left to signal. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-groupId, signal)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Dead processes that nobody has reaped, as in a container without an init, do not count. */
export async function isGroupGone(groupId: number): Promise<boolean> {
  return !signalGroup(groupId, 0) || !(await hasLivingMember(groupId))
}

async function hasLivingMember(groupId: number): Promise<boolean> {
  try {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const living = await Promise.all(pids.map((pid) => isLivingMember(pid, groupId)))
    return living.includes(true)
  } catch {
    // Where there is no /proc, whoever can be signalled is taken for alive.
    return true
  }
}

async function isLivingMember(pid: string, groupId: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    // The name before the last bracket may hold anything.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(group) === groupId && state !== 'Z' && state !== 'X'
  } catch {
    // It ended while we looked.
    return false
  }
}
