import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Jupyter } from '@quire/testbed/jupyter'
import { startServer } from '../child.ts'
import { TOKEN } from '../guarded-app.ts'

const SESSIONS = 50

/** What an idle session on `/mcp` holds, after it has listed the tools. */
export async function sessionMemory(jupyter: Jupyter): Promise<string> {
  const server = await startServer(join(import.meta.dirname, 'http-server.ts'), {
    NOTEBOOK_URL: jupyter.url,
    NOTEBOOK_TOKEN: jupyter.token,
  })
  const url = new URL(`http://127.0.0.1:${server.port}/mcp`)
  const warm = await openSessions(url, 10)
  const before = await server.usage({ collected: true })
  const clients = await openSessions(url, SESSIONS)
  const after = await server.usage({ collected: true })
  const each = (after.heapBytes - before.heapBytes) / SESSIONS / 1024
  await Promise.all([...warm, ...clients].map((client) => client.close()))
  await server.stop()
  return `${SESSIONS} idle sessions on /mcp               ${(each / 100).toFixed(2)} of 100 KiB each (aim: at most 1.00); ${each.toFixed(1)} KiB of heap each`
}

function openSessions(url: URL, count: number): Promise<Client[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const client = new Client({ name: 'bench', version: '1' })
      const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
      await client.listTools()
      return client
    }),
  )
}
