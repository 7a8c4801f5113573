import { createKeyStore, type KeyStore } from '@quire/kit/auth/issued-keys/key-store'
import { CommandFailure } from '../../command-failure.ts'
import { configFrom, dataSetting } from '../../config.ts'
import { openDatabase } from '../../runtime-files.ts'
import { issueSettings } from './issue-settings.ts'
import type { KeyService } from './key-service.ts'

type Flags = Record<string, unknown>

export interface Output {
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** Only the token goes to standard output, so that it can be kept in a variable; it is shown this once. */
export async function runKeysIssue(
  service: KeyService,
  flags: Flags,
  { stdout, stderr }: Output,
): Promise<void> {
  const { name, scopes, expiresInDays } = configFrom(issueSettings(service.scopes), flags)
  await withKeys(service, flags, async (keys) => {
    const expiresAt = expiresInDays === undefined ? undefined : new Date(Date.now() + expiresInDays * DAY_MS)
    const { key, token } = await keys.issue({ name, scopes, expiresAt })
    stderr.write(
      `The key ${key.id} of ${name} may ${key.scopes?.join(', ') ?? 'do everything'}, ${key.expiresAt ? `until ${key.expiresAt}` : 'for ever'}. It is shown this once:\n`,
    )
    stdout.write(`${token}\n`)
  })
}

export async function runKeysList(
  service: KeyService,
  flags: Flags,
  { json }: { readonly json?: boolean },
  { stdout }: Pick<Output, 'stdout'>,
): Promise<void> {
  await withKeys(service, flags, async (keys) => {
    const shown = await keys.list()
    if (json) stdout.write(`${JSON.stringify(shown.map(toJson), undefined, 2)}\n`)
    else for (const key of shown) stdout.write(`${toLine(key)}\n`)
  })
}

export async function runKeysRevoke(
  service: KeyService,
  flags: Flags,
  id: string,
  { stdout }: Pick<Output, 'stdout'>,
): Promise<void> {
  await withKeys(service, flags, async (keys) => {
    if (!(await keys.revoke(id)))
      throw new CommandFailure(
        `There is no key ${JSON.stringify(id)} that could be revoked: "quire ${service.name} keys list" shows them.`,
      )
    stdout.write(`The key ${id} is revoked. A running server knows it within a second or two.\n`)
  })
}

async function withKeys(
  service: KeyService,
  flags: Flags,
  work: (keys: KeyStore) => Promise<void>,
): Promise<void> {
  const { database } = configFrom(service.databaseSetting, flags)
  const { dataDir } = configFrom(dataSetting, flags)
  const store = await openDatabase({ database, dataDir })
  try {
    await work(await createKeyStore(store, service.name))
  } finally {
    await store.close()
  }
}

type Key = Awaited<ReturnType<KeyStore['list']>>[number]

/** In the spelling of the API. */
function toJson({ id, name, scopes, createdAt, expiresAt, revokedAt }: Key): object {
  return { id, name, scopes, created_at: createdAt, expires_at: expiresAt, revoked_at: revokedAt }
}

function toLine(key: Key): string {
  const { id, name, scopes, createdAt } = key
  return [id, name, scopes?.join(' ') ?? 'all scopes', `issued ${createdAt}`, ...endOf(key)].join('\t')
}

function endOf({ expiresAt, revokedAt }: Key): readonly string[] {
  if (revokedAt !== undefined) return [`revoked ${revokedAt}`]
  if (expiresAt === undefined) return []
  return [Date.parse(expiresAt) <= Date.now() ? `expired ${expiresAt}` : `until ${expiresAt}`]
}
