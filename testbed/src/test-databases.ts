import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

/** For `describe.each`: what is stored must be tested on both databases. */
export const testDatabases = [
  { kind: 'sqlite', createDatabase: createTestFile },
  { kind: 'postgres', createDatabase: createTestDatabase },
] as const

async function createTestFile(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-sqlite-'))
  return Object.freeze({
    url: `sqlite:${join(folder, 'test.db')}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  })
}
