import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely } from 'kysely'
import { StoreUnavailable } from './errors.ts'
import type { StoreLogger, Transaction } from './store.ts'

export type TransactionScope = ReturnType<typeof createTransactionScope>

export type TransactionScopeOptions = { timeoutMs?: number; logger?: StoreLogger | undefined }

/** Knows whether the code that is running belongs to an open transaction of this store. */
export function createTransactionScope({ timeoutMs = 30_000, logger }: TransactionScopeOptions) {
  const current = new AsyncLocalStorage<{ open: boolean }>()

  function assertOutside(): void {
    if (current.getStore()?.open)
      throw new Error(
        'The store was used inside one of its own transactions: use tx.db, or hand tx on to what you call. On SQLite this would wait for itself for ever.',
      )
  }

  async function run<Schema, Result>(
    db: Kysely<Schema>,
    work: (tx: Transaction<Schema>) => Promise<Result>,
  ): Promise<Result> {
    assertOutside()
    const state = { open: true }
    const callbacks: (() => void)[] = []
    let result: Result
    try {
      result = await db.transaction().execute((transaction) => {
        const tx = createTransaction(transaction, callbacks)
        return current.run(state, () => withDeadline(work(tx), timeoutMs))
      })
    } finally {
      state.open = false
    }
    for (const callback of callbacks) {
      try {
        callback()
      } catch (error) {
        logger?.error({ err: error }, 'what was to follow a commit failed')
      }
    }
    return result
  }

  return Object.freeze({ assertOutside, run })
}

function createTransaction<Schema>(db: Kysely<Schema>, callbacks: (() => void)[]): Transaction<Schema> {
  const tx: Transaction<Schema> = Object.freeze({
    db,
    afterCommit: (work: () => void) => void callbacks.push(work),
    // The schema exists in the type only.
    as: <Other>() => tx as unknown as Transaction<Other>,
  })
  return tx
}

async function withDeadline<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StoreUnavailable(`a transaction took longer than ${timeoutMs} ms`)),
      timeoutMs,
    )
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
