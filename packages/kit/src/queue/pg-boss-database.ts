import { CompiledQuery } from 'kysely'
import type { Db } from 'pg-boss'
import type { AnyTransaction } from '../store/store.ts'

/** Lets pg-boss take part in a transaction of the store. */
export function toPgBossDatabase(tx: AnyTransaction): Db {
  const { db } = tx.as<unknown>()
  return {
    async executeSql(text, values = []) {
      // What it keeps of an error is an object, which the driver would turn into the same text.
      const parameters = values.map((value) => (isObject(value) ? JSON.stringify(value) : value))
      const { rows } = await db.executeQuery(CompiledQuery.raw(text, parameters))
      return { rows }
    },
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
