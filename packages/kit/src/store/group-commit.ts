import { StoreUnavailable } from './errors.ts'

/** Speaks to the one connection, which the caller holds. */
export interface GroupConnection {
  run(sql: 'begin immediate' | 'commit' | 'rollback' | `${string}savepoint joined`): Promise<void>
  /** The database itself may have rolled back, when its disk was full. */
  isTransaction(): boolean
}

/** One transaction of one caller. */
export interface GroupMember {
  /** It is inside somebody else's. */
  isJoined: boolean
  /** Its commit is left to the others: it holds the connection no more. */
  isLeft: boolean
  /** There is nothing to take back any more. */
  isOver: boolean
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

const MOST_MEMBERS = 64
/** Nobody's acknowledgement waits for others longer than this and the last of their transactions. */
const LONGEST_MS = 10

/**
 * Transactions that stand in line are committed together: a commit waits for the disk, and costs ten times what is in it. Each is a savepoint of the first,
 * so that one of them that fails takes nothing but itself back; each is acknowledged when the one commit is through.
 */
export function createGroupCommit({ run, isTransaction }: GroupConnection) {
  let waiting: Waiting[] = []
  let openedAt = 0

  function isOpen(): boolean {
    return waiting.length > 0
  }

  async function begin(member: GroupMember): Promise<void> {
    member.isJoined = isOpen()
    await run(member.isJoined ? 'savepoint joined' : 'begin immediate')
    if (!member.isJoined) openedAt = performance.now()
  }

  /** Resolves when it is on the disk. `next` hands the connection to who is first in line, where there is somebody. */
  async function commit(member: GroupMember, next: () => boolean): Promise<void> {
    if (member.isJoined) await run('release savepoint joined')
    member.isOver = true
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push({ resolve, reject })
    const isRoom = waiting.length < MOST_MEMBERS && performance.now() - openedAt < LONGEST_MS
    member.isLeft = isRoom && next()
    await (member.isLeft ? promise : Promise.all([promise, flush()]))
  }

  async function rollback(member: GroupMember): Promise<void> {
    if (member.isOver) return
    if (!isTransaction()) return fail(new StoreUnavailable('it has undone a transaction by itself'))
    if (!member.isJoined) return run('rollback')
    await run('rollback to savepoint joined')
    await run('release savepoint joined')
  }

  /** To be called before anything is read or written outside of a transaction, and when nobody stands in line any more. */
  async function flush(): Promise<void> {
    if (!isOpen()) return
    const members = waiting
    waiting = []
    try {
      await run('commit')
    } catch (error) {
      // They are told first: nobody may wait for a connection that cannot even take back.
      for (const { reject } of members) reject(error)
      if (isTransaction()) await run('rollback')
      return
    }
    for (const { resolve } of members) resolve()
  }

  function fail(error: unknown): void {
    const members = waiting
    waiting = []
    for (const { reject } of members) reject(error)
  }

  return Object.freeze({ isOpen, begin, commit, rollback, flush })
}
