import { readFile, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@quire/kit/log'
import { isGroupGone, signalGroup } from '@quire/mcp/connection/process-group'
import * as z from 'zod'
import { createKeptFile } from './kept-file.ts'
import { bootId, identify, type ProcessIdentity } from './process-identity.ts'

/** The processes that we started and that still run, in a file that outlives us. */
export interface PidRecord {
  add(name: string, pid: number): void
  remove(pid: number): void
  settled(): Promise<void>
}

const Identity = z.object({ pid: z.int().min(2), pgid: z.int().min(2), startTime: z.int().nonnegative() })

const Recorded = z.object({
  boot: z.string().min(1),
  /** Who started them. */
  owner: Identity,
  processes: z.array(Identity.extend({ name: z.string() })).max(10_000),
})
type Recorded = z.infer<typeof Recorded>

const KILLED_MS = 2000
const POLL_MS = 20

export interface PidRecordOptions {
  readonly file: string
  readonly logger: Logger
}

export function createPidRecord({ file, logger }: PidRecordOptions): PidRecord {
  const boot = bootId()
  const owner = identify(process.pid)
  const processes = new Map<number, ProcessIdentity & { readonly name: string }>()
  const kept = createKeptFile({
    file,
    logger,
    content: () => JSON.stringify({ boot, owner, processes: [...processes.values()] }),
  })
  return Object.freeze({
    add(name: string, pid: number): void {
      const identity = identify(pid)
      if (!identity) return
      processes.set(pid, { name, ...identity })
      kept.changed()
    },
    remove(pid: number): void {
      if (processes.delete(pid)) kept.changed()
    },
    settled: () => kept.settled(),
  })
}

/**
 * Kills what a composer that died before has left running, by the file that it kept. A process counts as left over only if it started
 * at the recorded time, in this run of the machine, and the one who started it is gone. Done when they are gone.
 */
export async function sweepLeftovers({ file, logger }: PidRecordOptions): Promise<void> {
  const recorded = await readRecord(file, logger)
  if (!recorded || isSame(recorded.owner)) return
  if (recorded.boot === bootId()) {
    const leftovers = recorded.processes.filter((entry) => entry.pgid === entry.pid && isSame(entry))
    await Promise.all(leftovers.map((leftover) => kill(leftover, logger)))
  }
  await rm(file, { force: true })
}

async function readRecord(file: string, logger: Logger): Promise<Recorded | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch {
    // Nobody was here before.
    return undefined
  }
  try {
    return Recorded.parse(JSON.parse(text))
  } catch (error) {
    logger.warn({ file, err: error }, 'the record of left-over processes cannot be read; nothing is killed')
    return undefined
  }
}

function isSame({ pid, pgid, startTime }: ProcessIdentity): boolean {
  const found = identify(pid)
  return found !== undefined && found.pgid === pgid && found.startTime === startTime
}

async function kill({ name, pid, pgid }: Recorded['processes'][number], logger: Logger): Promise<void> {
  logger.warn({ server: name, pid }, 'a process that an earlier composer left running is killed')
  signalGroup(pgid, 'SIGKILL')
  const deadline = performance.now() + KILLED_MS
  while (!(await isGroupGone(pgid))) {
    if (performance.now() > deadline) {
      logger.error({ server: name, pid }, 'a left-over process does not go away')
      return
    }
    await sleep(POLL_MS)
  }
}
