import { notebookSettings } from '@quire/notebook/settings'
import { configFrom } from '../../config.ts'

/** Reads the configuration, and loads only what its transport needs: a client that starts us over stdio waits for our first answer. */
export async function runNotebookStart(flags: Record<string, unknown>): Promise<void> {
  const settings = configFrom(notebookSettings, flags)
  if (settings.transport === 'stdio') {
    const { serveNotebookOverStdio } = await import('./serve-stdio.ts')
    await serveNotebookOverStdio(settings)
  } else {
    const { serveNotebookOverHttp } = await import('./serve-http.ts')
    await serveNotebookOverHttp(settings)
  }
}
