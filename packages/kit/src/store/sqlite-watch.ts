import type { DatabaseSync } from 'node:sqlite'
import type { StoreLogger } from './store.ts'

const INTERVAL_MS = 200

/** Calls back after another process has committed. Our own commits do not count. */
export function watchOtherWriters(
  database: DatabaseSync,
  onChange: () => void,
  logger: StoreLogger | undefined,
): () => void {
  const statement = database.prepare('pragma data_version')
  const read = () => statement.get()?.data_version
  let version = read()
  const timer = setInterval(() => {
    try {
      const now = read()
      if (now === version) return
      version = now
      onChange()
    } catch (error) {
      logger?.warn({ err: error }, 'the database file could not be watched; trying again')
    }
  }, INTERVAL_MS).unref()
  return () => clearInterval(timer)
}
