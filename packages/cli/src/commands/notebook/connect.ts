import { ConfigError } from '@quire/kit/config/config-error'
import { connectSettings } from '@quire/notebook/settings'
import { configFrom } from '../../config.ts'
import { callManagement } from './management-client.ts'

/** Points a running notebook service at other notebook servers. */
export async function runNotebookConnect(
  flags: Record<string, unknown>,
  output: NodeJS.WritableStream,
): Promise<void> {
  const settings = configFrom(connectSettings, flags)
  const { codeSandboxUrl, documentUrl = codeSandboxUrl } = settings
  if (codeSandboxUrl === undefined) {
    const message = 'name the notebook server to connect to'
    throw new ConfigError([{ setting: '--code-sandbox-url', origin: 'no value given', message }])
  }
  const body = {
    code_sandbox_url: codeSandboxUrl,
    code_sandbox_id: settings.codeSandboxId,
    code_sandbox_token: settings.codeSandboxToken,
    code_sandbox_password: settings.codeSandboxPassword,
    document_url: settings.documentUrl,
    document_id: settings.documentId,
    document_token: settings.documentToken,
    document_password: settings.documentPassword,
    document_provider: settings.documentProvider,
  }
  await callManagement(settings, { method: 'PUT', path: '/api/connect', body })
  const where =
    documentUrl === codeSandboxUrl
      ? `It works on ${codeSandboxUrl}.`
      : `Code runs on ${codeSandboxUrl}, documents are on ${documentUrl}.`
  output.write(`The notebook service at ${settings.serverUrl} is connected. ${where}\n`)
}
