import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test asks for a database of its own. */
    testDatabaseServer: string
  }
}

export type TestDatabase = { readonly url: string; drop(): Promise<void> }

/** A fresh PostgreSQL database, one for each test file. The cluster behind it starts with the first call of a run. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('testDatabaseServer')
  const { url } = await send<{ url: string }>(server, 'POST')
  return Object.freeze({
    url,
    async drop() {
      await send(`${server}${new URL(url).pathname}`, 'DELETE')
    },
  })
}

async function send<Answer>(url: string, method: string): Promise<Answer> {
  const response = await fetch(url, { method, signal: AbortSignal.timeout(60_000) })
  if (!response.ok) throw new Error(await response.text())
  return response.json() as Promise<Answer> // both ends are ours
}
