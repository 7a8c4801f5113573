import { rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { closeAll } from '@quire/kit/close-all'
import { secretsOf } from '@quire/kit/config/read-config'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { createRedactor } from '@quire/kit/redact'
import { shutDown } from '@quire/kit/serve/shut-down'
import { createNotebook } from '@quire/notebook/create-notebook'
import { loadHooks } from '@quire/notebook/hooks/load-hooks'
import {
  type NotebookSettings,
  notebookSettings,
  targetsOf,
  toNotebookConfig,
} from '@quire/notebook/settings'
import { createClientAccess } from '@quire/notebook/verifier/client-access'
import { createWorkbench } from '@quire/notebook/workbench/create-workbench'
import { assertSafe, guardsFor, warnOfOpenDoor } from '../../exposure.ts'
import { runUntilSignal } from '../../lifecycle.ts'
import { assertTlsPair, listen } from '../../listen.ts'
import { createLazyRoomHost } from '../../room-host.ts'
import { readVersion } from '../../version.ts'

/** Serves whoever may come over HTTP, until it is told to stop. */
export async function serveNotebookOverHttp(settings: NotebookSettings): Promise<void> {
  const redactor = createRedactor({ secrets: secretsOf(notebookSettings, settings) })
  const logger = createLogger({ level: settings.logLevel, pretty: process.stderr.isTTY === true, redactor })
  const version = readVersion()
  const isExtension = settings.mode === 'NOTEBOOK_SERVER'
  const config = { ...toNotebookConfig(settings, version), isExtension }
  const access = await createClientAccess(settings, { logger, cwd: process.cwd() })
  const isOpen = access.authentication === undefined
  assertSafe({
    host: settings.host,
    isOpen,
    flag: '--insecure-mcp-noauth',
    mayFaceNetwork: settings.insecureMcpNoauth,
  })
  assertTlsPair(settings)

  const workbench = createWorkbench(config, {
    logger,
    keepSecret: redactor.add,
    roomHost: createLazyRoomHost(logger),
    registerHooks: settings.hooks === undefined ? undefined : await loadHooks(settings.hooks, process.cwd()),
  })
  const notebook = createNotebook(
    {
      version,
      ...access,
      guards: guardsFor(settings),
      trustedProxies: settings.trustedProxies,
      ...(!isExtension && { management: { allowTokenInUrl: settings.allowTokenInUrl } }),
      ...(settings.publicUrl !== undefined && { publicUrl: settings.publicUrl }),
    },
    {
      workbench,
      logger,
      metrics: createMetrics({ service: 'notebook', processMetrics: true }),
    },
  )
  const listening = await listen(settings, {
    fetch: notebook.app.fetch,
    close: () => closeAll([notebook, workbench]),
  })
  const service = { close: () => shutDown(listening, [workbench, notebook]) }
  const ended = isExtension ? endOf(process.stdin) : undefined
  const stopped = runUntilSignal(service, logger, process, process.exit, ended)
  if (isOpen) warnOfOpenDoor(logger, settings.host, 'run code by these tools')
  for (const warning of targetsOf(settings).warnings) logger.warn(warning)
  process.stdout.write(`The notebook tools are at ${listening.url}/mcp\n`)
  await stopped
  // Open, it would keep the process alive.
  if (isExtension) process.stdin.destroy()
  // The extension made the folder and removes it as a rule, but not when it was killed.
  if (settings.socket !== undefined) await rmdir(dirname(settings.socket)).catch(() => undefined)
}

/** The notebook server holds the other end: it is closed when that server is gone, however it went. */
function endOf(input: NodeJS.ReadStream): Promise<void> {
  return new Promise((resolve) => {
    input.once('end', resolve).once('error', resolve).once('close', resolve).resume()
  })
}
