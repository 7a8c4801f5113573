import { ConfigError } from '@quire/kit/config/config-error'
import { loadFunction } from '../load-function.ts'
import type { Hooks } from './hooks.ts'

/** Registers handlers. */
export type RegisterHooks = (hooks: Pick<Hooks, 'on'>) => void

const SETTING = '--hooks'

/** Handlers of the operator's own: the default export of an ES module, `(hooks) => { hooks.on('before_tool_call', …, { critical: true }) }`. */
export async function loadHooks(name: string, cwd: string): Promise<RegisterHooks> {
  const register = await loadFunction(name, { setting: SETTING, cwd })
  return (hooks) => {
    try {
      register(hooks)
    } catch (error) {
      const message = `failed: ${error instanceof Error ? error.message : String(error)}`
      throw new ConfigError([{ setting: SETTING, origin: name, message }])
    }
  }
}
