import { stopSettings } from '@quire/notebook/settings'
import { configFrom } from '../../config.ts'
import { callManagement } from './management-client.ts'

/** Lets a running notebook service let go of its notebooks. */
export async function runNotebookStop(
  flags: Record<string, unknown>,
  output: NodeJS.WritableStream,
): Promise<void> {
  const settings = configFrom(stopSettings, flags)
  await callManagement(settings, { method: 'DELETE', path: '/api/stop' })
  output.write(
    `The notebook service at ${settings.serverUrl} has let go of its notebooks and shut down the kernels it had started. It goes on running.\n`,
  )
}
