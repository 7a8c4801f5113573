import { readFileSync } from 'node:fs'

/** What tells one process from another that later gets the same id. */
export interface ProcessIdentity {
  readonly pid: number
  readonly pgid: number
  /** In ticks since the machine started. */
  readonly startTime: number
}

/** Undefined when there is no such process, or no /proc to ask. */
export function identify(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name before the last bracket may hold anything; the state is field 3, the group field 5, the start field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, pgid, startTime] = [fields[0], Number(fields[2]), Number(fields[19])]
    if (state === 'Z' || state === 'X') return undefined
    return { pid, pgid, startTime }
  } catch {
    return undefined
  }
}

/** Start times of two runs of the machine say nothing about each other. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  } catch {
    return ''
  }
}
