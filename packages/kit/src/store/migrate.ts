import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'

const OWNER = /^[a-z][a-z0-9_]{0,30}$/

/** Runs what is missing in the order of the names. Each owner has tables of its own for what has run. */
export async function migrate(
  db: Kysely<unknown>,
  owner: string,
  migrations: Record<string, Migration>,
): Promise<void> {
  if (!OWNER.test(owner))
    throw new Error(
      `The owner of migrations must match ${OWNER.source}, and ${JSON.stringify(owner)} does not.`,
    )
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: `${owner}_migration`,
    migrationLockTableName: `${owner}_migration_lock`,
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error === undefined) return
  const failed = results?.find((result) => result.status === 'Error')
  if (failed === undefined) throw error
  throw new Error(
    `Migration ${failed.migrationName} of ${owner} failed and was rolled back: ${error instanceof Error ? error.message : error}`,
    { cause: error },
  )
}
