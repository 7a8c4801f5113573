import { ConfigError } from '@quire/kit/config/config-error'
import { serverSettings } from '@quire/kit/config/server-settings'
import { type ConfigOf, defineSettings, withFlagVariables } from '@quire/kit/config/settings'
import type { NotebookConfig } from './config.ts'
import { createPathFence } from './path-fence.ts'
import { type ResolvedTargets, resolveTargets } from './resolve-targets.ts'
import { ServerUrl } from './server-url.ts'
import { accessSettings, mcpTokenSetting } from './settings/access-settings.ts'
import { toolSettings } from './settings/tool-settings.ts'
import { UNSET, upstreamSettings } from './settings/upstream-settings.ts'

/** What the tools need, however they are reached. */
export const workbenchSettings = withFlagVariables(defineSettings({ ...upstreamSettings, ...toolSettings }))
export type WorkbenchSettings = ConfigOf<typeof workbenchSettings>

/** Everything that `quire notebook start` can be told, by what it is about. */
export const notebookSettingGroups = Object.freeze({
  'Clients:': accessSettings,
  'Notebook servers:': upstreamSettings,
  'Tools:': toolSettings,
  'HTTP server:': serverSettings({ prefix: 'NOTEBOOK', port: 4040 }),
})

export const notebookSettings = withFlagVariables(
  defineSettings({
    ...notebookSettingGroups['Clients:'],
    ...notebookSettingGroups['Notebook servers:'],
    ...notebookSettingGroups['Tools:'],
    ...notebookSettingGroups['HTTP server:'],
  }),
)
export type NotebookSettings = ConfigOf<typeof notebookSettings>

const SERVER_URL = 'http://localhost:4040'

/** What `quire notebook stop` needs to know. The address has no variable of its own name: a stray SERVER_URL would send the token to a stranger. */
export const stopSettings = defineSettings({
  serverUrl: {
    flag: 'server-url',
    flagAliases: ['jupyter-mcp-server-url'],
    value: 'URL',
    env: ['NOTEBOOK_MCP_SERVER_URL', 'JUPYTER_MCP_SERVER_URL'],
    unset: UNSET,
    schema: ServerUrl.default(SERVER_URL),
    help: `where the notebook service is (default ${SERVER_URL})`,
  },
  ...mcpTokenSetting,
})

/** What `quire notebook connect` needs to know. */
export const connectSettings = defineSettings({
  ...stopSettings,
  // Where no other server stores documents, this one does both: the names for that are taken too.
  codeSandboxUrl: { ...upstreamSettings.codeSandboxUrl, flagAliases: ['notebook-url', 'jupyter-url'] },
  codeSandboxToken: {
    ...upstreamSettings.codeSandboxToken,
    flagAliases: ['notebook-token', 'jupyter-token'],
  },
  codeSandboxPassword: {
    ...upstreamSettings.codeSandboxPassword,
    flagAliases: ['notebook-password', 'jupyter-password'],
  },
  codeSandboxId: upstreamSettings.codeSandboxId,
  documentUrl: upstreamSettings.documentUrl,
  documentToken: upstreamSettings.documentToken,
  documentPassword: upstreamSettings.documentPassword,
  documentId: upstreamSettings.documentId,
  documentProvider: upstreamSettings.documentProvider,
})

export function toNotebookConfig(settings: WorkbenchSettings, version: string): NotebookConfig {
  const { executionTimeout, maxExecutionTimeout } = settings
  if (executionTimeout > maxExecutionTimeout) {
    const message = `must not be longer than --max-execution-timeout, which is ${maxExecutionTimeout}`
    throw new ConfigError([{ setting: '--execution-timeout', origin: String(executionTimeout), message }])
  }
  refusePaths(settings)
  return Object.freeze({
    version,
    targets: targetsOf(settings).targets,
    executionTimeoutSeconds: executionTimeout,
    maxExecutionTimeoutSeconds: maxExecutionTimeout,
    maxOutputBytes: settings.maxOutputBytes,
    images: settings.allowImages && !settings.noImages,
    readOnly: settings.readOnly,
    allowedPaths: settings.allowedPaths,
    auditFile: settings.auditFile,
    recordCode: settings.recordCode,
  })
}

/** Told as what they are, faults of the configuration. */
function refusePaths({ allowedPaths, documentId }: WorkbenchSettings): void {
  for (const path of allowedPaths) orRefuse('--allowed-path', path, () => createPathFence([path]))
  if (documentId !== undefined)
    orRefuse('--document-id', documentId, () => createPathFence(allowedPaths).check(documentId))
}

function orRefuse(setting: string, origin: string, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new ConfigError([{ setting, origin, message }])
  }
}

/** Which servers the settings mean, and what about them may not have been meant. */
export function targetsOf(settings: WorkbenchSettings): ResolvedTargets {
  const side = (name: 'notebook' | 'document' | 'codeSandbox') => ({
    url: settings[`${name}Url`],
    token: settings[`${name}Token`],
    password: settings[`${name}Password`],
  })
  return resolveTargets({
    notebook: side('notebook'),
    document: side('document'),
    sandbox: side('codeSandbox'),
    documentId: settings.documentId,
    kernelId: settings.codeSandboxId,
    allowTokenInUrl: settings.allowTokenInUrl,
  })
}
