import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbedded } from '@quire/embedded/create-embedded'
import { createPyodideKernels } from '@quire/embedded/kernel/pyodide-kernels'
import { createLazyLogger } from '@quire/kit/lazy-logger'
import { serve } from '@quire/kit/serve/serve'
import { shutDown } from '@quire/kit/serve/shut-down'
import { startJupyter } from '@quire/testbed/jupyter'

const logger = createLazyLogger({ level: 'silent', pretty: false })

async function startEmbedded(port = 0, folder = mkdtempSync(join(tmpdir(), 'live-'))) {
  const token = 'embedded-token-0123456789'
  const embedded = await createEmbedded(
    { folder, token, version: '1', guards: {} },
    { kernels: createPyodideKernels({ logger }), logger },
  )
  const listening = await serve({ fetch: embedded.app.fetch, host: '127.0.0.1', port })
  const end = () => shutDown(listening, [embedded], 500)
  return { url: listening.url, token, root: folder, end }
}

/** One that holds rooms, and one that does not. */
export const liveServers = {
  async 'the embedded server'() {
    let running = await startEmbedded()
    const { url, token, root } = running
    return {
      url,
      token,
      root,
      async restart() {
        await running.end()
        running = await startEmbedded(Number(new URL(url).port), root)
      },
      async stop() {
        await running.end()
        await rm(root, { recursive: true, force: true })
      },
    }
  },
  'a server without rooms': startJupyter,
}

export function notebookOf(sources: readonly string[]) {
  const cells = sources.map((source, index) => ({
    id: `cell-${index}`,
    cell_type: 'code',
    source,
    metadata: {},
    outputs: [],
    execution_count: null,
  }))
  return { nbformat: 4, nbformat_minor: 5, metadata: {}, cells }
}
