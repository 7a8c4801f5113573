import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { fromJson, toJson } from '../../store/json.ts'
import type { AnyStore } from '../../store/store.ts'
import { createToken, hashToken } from '../token.ts'

export interface IssuedKey {
  readonly id: string
  /** Whose it is. Keys of one name are of one person or program, and see the same. */
  readonly name: string
  /** Absent: all. */
  readonly scopes?: readonly string[]
  readonly createdAt: string
  readonly expiresAt?: string
  readonly revokedAt?: string
}

export interface NewKey {
  readonly name: string
  readonly scopes?: readonly string[] | undefined
  readonly expiresAt?: Date | undefined
}

/** Keys that were issued, revoked ones too. Of the keys themselves only hashes are kept. */
export interface KeyStore {
  /** The one moment at which the token is to be had. */
  issue(key: NewKey): Promise<{ readonly key: IssuedKey; readonly token: string }>
  /** In the order in which they were issued. */
  list(): Promise<readonly (IssuedKey & { readonly hash: string })[]>
  /** False where there is none, or it is revoked already. */
  revoke(id: string): Promise<boolean>
  /** Calls back when keys were issued or revoked, in whichever process; returns the function that ends it. */
  onChange(changed: () => void): () => void
}

type KeyRow = {
  id: string
  hash: string
  name: string
  scopes: string | null
  created_at: string
  expires_at: string | null
  revoked_at: string | null
}

/** Of one service, after which the table is named. Makes it where there is none. */
export async function createKeyStore(
  anyStore: AnyStore,
  service: string,
  now: () => Date = () => new Date(),
): Promise<KeyStore> {
  const store = anyStore.as<{ key: KeyRow }>()
  // The service chooses the name; the columns are those of the row above.
  const table = `${service}_key` as 'key'
  const channel = `${service}_keys`
  await store.migrate(channel, { '001_table': { up: (db) => createTable(db, table) } })

  return Object.freeze({
    async issue({ name, scopes, expiresAt }: NewKey) {
      const token = createToken()
      const row = {
        id: `key_${randomBytes(8).toString('hex')}`,
        hash: hashToken(token),
        name,
        scopes: scopes ? toJson(scopes) : null,
        created_at: now().toISOString(),
        expires_at: expiresAt?.toISOString() ?? null,
        revoked_at: null,
      }
      await store.transaction(async (tx) => {
        await tx.db.insertInto(table).values(row).execute()
        await store.notify(channel, row.id, tx)
      })
      const { hash: _, ...key } = toKey(row)
      return { key, token }
    },
    async list() {
      const rows = await store.db.selectFrom(table).selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(toKey)
    },
    revoke: (id: string) =>
      store.transaction(async (tx) => {
        const { numUpdatedRows } = await tx.db
          .updateTable(table)
          .set({ revoked_at: now().toISOString() })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .executeTakeFirst()
        await store.notify(channel, id, tx)
        return Number(numUpdatedRows) > 0
      }),
    onChange: (changed: () => void) => store.listen(channel, changed),
  })
}

function toKey(row: KeyRow): IssuedKey & { readonly hash: string } {
  return {
    id: row.id,
    hash: row.hash,
    name: row.name,
    ...(row.scopes !== null && { scopes: fromJson<string[]>(row.scopes) }),
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
  }
}

async function createTable(db: Kysely<unknown>, table: string): Promise<void> {
  await db.schema
    .createTable(table)
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    .execute()
}
