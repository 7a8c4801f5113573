import { closeAll } from '@quire/kit/close-all'
import { secretsOf } from '@quire/kit/config/read-config'
import { createLazyLogger } from '@quire/kit/lazy-logger'
import { createRedactor } from '@quire/kit/redact'
import { serveStdio } from '@quire/mcp/serving/stdio'
import { loadHooks } from '@quire/notebook/hooks/load-hooks'
import {
  type NotebookSettings,
  notebookSettings,
  targetsOf,
  toNotebookConfig,
} from '@quire/notebook/settings'
import { createWorkbench } from '@quire/notebook/workbench/create-workbench'
import { runUntilSignal } from '../../lifecycle.ts'
import { readVersion } from '../../version.ts'

/** Serves the one client at the other end of stdin and stdout, until it closes stdin. Logs go to stderr. */
export async function serveNotebookOverStdio(settings: NotebookSettings): Promise<void> {
  const { stdin, stdout, stderr } = process
  const redactor = createRedactor({ secrets: secretsOf(notebookSettings, settings) })
  const logger = createLazyLogger({ level: settings.logLevel, pretty: stderr.isTTY === true, redactor })
  const workbench = createWorkbench(toNotebookConfig(settings, readVersion()), {
    logger,
    keepSecret: redactor.add,
    registerHooks: settings.hooks === undefined ? undefined : await loadHooks(settings.hooks, process.cwd()),
  })
  const serving = serveStdio(workbench.createServer, { stdin, stdout, stderr, logger })
  workbench.tellChangesTo(serving.notify)
  for (const warning of targetsOf(settings).warnings) logger.warn(warning)
  const parts = { close: () => closeAll([serving, workbench]) }
  await runUntilSignal(parts, logger, process, process.exit, serving.closed)
}
