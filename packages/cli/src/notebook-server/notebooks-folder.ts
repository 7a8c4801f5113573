import { mkdirSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from '@quire/kit/config/config-error'

/** Makes it where it is missing, for its owner alone. */
export function prepareFolder(wanted: string): string {
  const folder = resolve(wanted)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return realpathSync(folder)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `cannot be used as the folder of notebooks (${reason}): name another one`
    throw new ConfigError([{ setting: '--notebooks', origin: folder, message }])
  }
}
