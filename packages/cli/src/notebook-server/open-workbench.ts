import { join } from 'node:path'
import type { Logger } from '@quire/kit/log'
import type { Redactor } from '@quire/kit/redact'
import { toNotebookConfig, type WorkbenchSettings } from '@quire/notebook/settings'
import { createWorkbench } from '@quire/notebook/workbench/create-workbench'
import { environment, type UpConfig } from '../config.ts'
import { createLazyRoomHost } from '../room-host.ts'
import { readVersion } from '../version.ts'
import { createExecutionPlace } from './execution-place.ts'
import { type NotebookServer, openNotebookServer } from './notebook-server.ts'

export interface OpenWorkbench {
  readonly workbench: ReturnType<typeof createWorkbench>
  /** Stays open when the workbench is closed. */
  readonly notebookServer: NotebookServer
  /** Whether a call of a tool, by the name that models call it by, would run code on this machine that nobody has allowed. */
  readonly needsPerson: (toolName: string) => boolean
}

/** The notebook tools on the server that is wanted. */
export async function openWorkbench(
  config: Pick<UpConfig, 'dataDir' | 'notebooks' | 'withJupyter' | 'allowHostExecution'>,
  settings: WorkbenchSettings,
  { logger, redactor }: { readonly logger: Logger; readonly redactor: Redactor },
): Promise<OpenWorkbench> {
  const version = readVersion()
  const deps = { logger, keepSecret: redactor.add }
  const notebookServer = await openNotebookServer(
    {
      settings,
      withJupyter: config.withJupyter,
      folder: config.notebooks,
      usualFolder: join(config.dataDir, 'notebooks'),
      version,
    },
    { ...deps, environment: environment() },
  )
  try {
    const place = createExecutionPlace(notebookServer.isHost)
    const workbench = createWorkbench(toNotebookConfig(notebookServer.settings, version), {
      ...deps,
      registerHooks: place.registerHooks,
      roomHost: createLazyRoomHost(deps.logger),
    })
    const needsPerson = (toolName: string) =>
      !config.allowHostExecution && place.isOnHost(workbench, toolName)
    return Object.freeze({ workbench, notebookServer, needsPerson })
  } catch (error) {
    await notebookServer.close()
    throw error
  }
}
