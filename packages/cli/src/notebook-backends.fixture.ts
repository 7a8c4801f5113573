import { startJupyter } from '@quire/testbed/jupyter'
import { vi } from 'vitest'
import { connectToPort, type OfficialClient, startOnPort, TOKEN } from './notebook-clients.fixture.ts'
import { startEmbeddedServer } from './notebook-embedded.fixture.ts'
import { startExtended } from './notebook-extension.fixture.ts'

/** The tools on one kind of notebook server. */
export interface Backend {
  /** The folder of the notebooks. */
  readonly root: string
  /** A client in a session of its own. */
  connect(): Promise<OfficialClient>
  stop(): Promise<unknown>
}

export const BACKENDS = {
  "Debian's Jupyter through the contents API": async () => serveTools(await startJupyter()),
  'the embedded server through the contents API': async () =>
    serveTools(await startEmbeddedServer({ rooms: false })),
  'the embedded server, live': async () => serveTools(await startEmbeddedServer()),
  "the extension inside Debian's Jupyter": startInside,
} as const satisfies Record<string, () => Promise<Backend>>

export type BackendName = keyof typeof BACKENDS

interface NotebookServer {
  readonly url: string
  readonly token: string
  readonly root: string
  stop(): Promise<unknown>
}

/** `quire notebook start` in front of it. */
async function serveTools(server: NotebookServer): Promise<Backend> {
  try {
    const tools = await startOnPort(server)
    return {
      root: server.root,
      connect: () => connectToPort(tools.url, 'legacy'),
      async stop() {
        await tools.stop()
        await server.stop()
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function startInside(): Promise<Backend> {
  const jupyter = await startExtended({ token: TOKEN })
  const headers = { authorization: `Bearer ${TOKEN}` }
  await vi.waitUntil(async () => (await fetch(`${jupyter.url}/mcp/healthz`, { headers })).ok, {
    timeout: 30_000,
  })
  return { root: jupyter.root, connect: () => connectToPort(jupyter.url, 'legacy'), stop: jupyter.stop }
}
