import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceProcess, startService } from './process.fixture.ts'

export interface Kill {
  readonly pid: number
  /** When somebody was there again to go on. */
  readonly goneOnAt: number
}

/** Processes on one database, of which some are killed and replaced. */
export interface Fleet {
  readonly kills: readonly Kill[]
  /** One that lives; waits for it. */
  someone(): Promise<ServiceProcess>
  /** One of those that live. Another is there in its place when it resolves. */
  kill(victim: number): Promise<void>
  /** Tells all of them to end. What each ended with. */
  stop(): Promise<readonly (number | string)[]>
  /** Whatever state they are in. */
  destroy(): Promise<void>
  log(): string
}

const LONGEST_WAIT_MS = 60_000

export async function startFleet(url: string, folder: string, size: number): Promise<Fleet> {
  const processes = new Set<ServiceProcess>()
  const starting = new Set<Promise<unknown>>()
  const kills: Kill[] = []
  let isOver = false
  let turn = 0

  const living = () => [...processes].filter((one) => one.isAlive())

  function add(): Promise<ServiceProcess> {
    const start = startService(url, folder).then(async (one) => {
      processes.add(one)
      if (isOver) await one.end('SIGKILL')
      return one
    })
    starting.add(start)
    const forget = () => starting.delete(start)
    start.then(forget, forget)
    return start
  }

  async function someone(): Promise<ServiceProcess> {
    const deadline = Date.now() + LONGEST_WAIT_MS
    for (;;) {
      const alive = living()
      const one = alive[turn++ % Math.max(1, alive.length)]
      if (one) return one
      if (Date.now() > deadline) throw new Error('No process came up.')
      await delay(5)
    }
  }

  // One after the other: the first makes the tables.
  for (let index = 0; index < size; index += 1) await add()

  return Object.freeze({
    kills,
    someone,
    async kill(victim: number) {
      await someone()
      const alive = living()
      const one = alive[victim % alive.length]
      if (!one) return
      await one.end('SIGKILL')
      const killedAt = Date.now()
      await add()
      kills.push({ pid: one.pid, goneOnAt: alive.length === 1 ? Date.now() : killedAt })
    },
    async stop() {
      isOver = true
      await Promise.all(starting)
      return Promise.all(living().map((one) => one.end('SIGTERM')))
    },
    async destroy() {
      isOver = true
      await Promise.allSettled(starting)
      await Promise.all(living().map((one) => one.end('SIGKILL')))
    },
    log: () => [...processes].map((one) => one.log()).join(''),
  } satisfies Fleet)
}
