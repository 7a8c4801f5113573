import { readdir, readFile } from 'node:fs/promises'

/** Resident memory of a process and all that share its process group, in bytes; undefined where it cannot be told. */
export type MemoryOf = (pid: number) => Promise<number | undefined>

type Groups = ReadonlyMap<number, readonly string[]>

/** All who ask within this time share one look at the table of processes. */
const FRESH_MS = 500
const VM_RSS = /^VmRSS:\s+(\d+) kB$/m

export function createGroupMemory(): MemoryOf {
  let looked: { readonly at: number; readonly groups: Promise<Groups> } | undefined

  return async function memoryOf(pid: number): Promise<number | undefined> {
    const now = performance.now()
    if (!looked || now - looked.at > FRESH_MS) looked = { at: now, groups: readGroups() }
    const members = (await looked.groups).get(pid)
    if (!members) return undefined
    const sizes = await Promise.all(members.map(residentMemory))
    return sizes.reduce((sum, size) => sum + size, 0)
  }
}

async function readGroups(): Promise<Groups> {
  const groups = new Map<number, string[]>()
  try {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    await Promise.all(
      pids.map(async (pid) => {
        const group = await groupOf(pid)
        if (group === undefined) return
        const members = groups.get(group)
        if (members) members.push(pid)
        else groups.set(group, [pid])
      }),
    )
  } catch {
    // There is no /proc: nothing is known of anybody.
  }
  return groups
}

async function groupOf(pid: string): Promise<number | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    // The name before the last bracket may hold anything.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])
  } catch {
    // It ended while we looked.
    return undefined
  }
}

async function residentMemory(pid: string): Promise<number> {
  try {
    const [, kilobytes = '0'] = VM_RSS.exec(await readFile(`/proc/${pid}/status`, 'latin1')) ?? []
    return Number(kilobytes) * 1024
  } catch {
    // It ended while we looked.
    return 0
  }
}
