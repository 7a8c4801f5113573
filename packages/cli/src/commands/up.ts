import { closeAll } from '@quire/kit/close-all'
import { secretsOf } from '@quire/kit/config/read-config'
import { createLogger } from '@quire/kit/log'
import { createRedactor } from '@quire/kit/redact'
import { shutDown } from '@quire/kit/serve/shut-down'
import { targetsOf, workbenchSettings } from '@quire/notebook/settings'
import { ensureComposerFile } from '../composer-file.ts'
import { configFrom, upSettings } from '../config.ts'
import { assertSafe, warnOfOpenDoor } from '../exposure.ts'
import { runUntilSignal } from '../lifecycle.ts'
import { assertTlsPair, listen } from '../listen.ts'
import { openWorkbench } from '../notebook-server/open-workbench.ts'
import { openDatabase, openModels, readToolsets, secretsInEnvironment } from '../runtime-files.ts'
import { type Access, createUp } from '../up.ts'
import { readWebPages } from '../web-pages.ts'
import { loadConfig } from './composer/load-config.ts'

/** Reads the configuration, starts everything on one port, prints where it is, and stays until it is told to stop. */
export async function runUp(flags: Record<string, unknown>): Promise<void> {
  const config = configFrom(upSettings, flags)
  assertSafe({
    host: config.host,
    isOpen: config.insecureNoauth,
    flag: '--insecure-noauth',
    mayFaceNetwork: false,
  })
  assertTlsPair(config)
  // Of the environment alone: their flags would be many, and some have meanings of their own here.
  const notebook = configFrom(workbenchSettings, {})
  const redactor = createRedactor({
    secrets: [
      ...secretsOf(upSettings, config),
      ...secretsOf(workbenchSettings, notebook),
      ...secretsInEnvironment(),
    ],
  })
  const logger = createLogger({ level: config.logLevel, pretty: process.stderr.isTTY === true, redactor })
  const composerFile = config.composerConfig ?? ensureComposerFile(config.dataDir)
  const composerConfig = await loadConfig(composerFile)
  const toolsets = readToolsets(config.mcpConfig, config.dataDir)
  const models = openModels(config)
  const ui = await readWebPages(logger)
  const store = await openDatabase(config, logger)
  const notebooks = await openWorkbench(config, notebook, { logger, redactor }).catch(closing(store))
  const { workbench, notebookServer } = notebooks
  const parts = { ui, logger, redactor, composerConfig, store, models, toolsets, ...notebooks }
  const up = await createUp(config, parts).catch(closing(workbench, notebookServer, store))
  if (up.access.kind === 'token') redactor.add(up.access.token)
  const listening = await listen(config, up)
  const stopped = runUntilSignal({ close: () => shutDown(listening, [up]) }, logger, process, process.exit)
  // Only now: two of us on one port must not both run the servers.
  await up.start()
  for (const warning of targetsOf(notebookServer.settings).warnings) logger.warn(warning)
  if (up.access.kind === 'open') warnOfOpenDoor(logger, config.host, 'use Quire')
  logger.info(notebookServer.about)
  process.stdout.write(announcement(listening.url, up.access, process.stdout.isTTY === true))
  process.stdout.write(`${notebookServer.about}\n`)
  await stopped
}

function closing(...parts: readonly { close(): Promise<void> }[]): (error: unknown) => Promise<never> {
  return async (error) => {
    await closeAll(parts)
    throw error
  }
}

/** On a terminal the address carries the token behind "#", which no browser sends on; elsewhere output is kept, so it holds only the file's path. */
function announcement(url: string, access: Access, isTerminal: boolean): string {
  if (access.kind === 'open') return `Quire is at ${url}/ (no token needed)\n`
  if (isTerminal) return `Quire is at ${url}/#token=${access.token}\n`
  return `Quire is at ${url}/ and takes the token ${access.file ? `in ${access.file}` : 'of QUIRE_TOKEN'}\n`
}
