import type { AnyStore } from '@quire/kit/store/store'
import type { Kysely } from 'kysely'
import type { TeamDraft } from './team.ts'
import type { Teams } from './teams.ts'

type Schema = { team_seed: { name: string } }

const MIGRATIONS = {
  '001_table': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('team_seed')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .execute()
    },
  },
}

/** A fresh database has one team to begin with. It comes once: whoever deletes it is rid of it. */
export async function seedTeam(
  anyStore: AnyStore,
  teams: Pick<Teams, 'create'>,
  draft: TeamDraft,
): Promise<void> {
  const { db, migrate } = anyStore.as<Schema>()
  await migrate('team_seed', MIGRATIONS)
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('team_seed')
    .values({ name: draft.name })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  // Of several processes the first makes it; one that is cut off here leaves none, which is no harm.
  if (numInsertedOrUpdatedRows === 1n) await teams.create(draft)
}
