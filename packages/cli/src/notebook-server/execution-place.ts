import type { RegisterHooks } from '@quire/notebook/hooks/load-hooks'
import type { createWorkbench } from '@quire/notebook/workbench/create-workbench'

type Workbench = Pick<ReturnType<typeof createWorkbench>, 'scopeFor'>

/** Where code of agents runs. */
export interface ExecutionPlace {
  /** Of the workbench: whoever connects it to another server leaves the embedded one. */
  readonly registerHooks: RegisterHooks
  /** Whether a call would run code on a kernel of the host, or lead there, as things are now. */
  isOnHost(workbench: Workbench, toolName: string): boolean
}

const PREFIX = 'notebook__'
const CONNECT = 'connect_to_jupyter'

export function createExecutionPlace(startsOnHost: boolean): ExecutionPlace {
  let isHost = startsOnHost
  return Object.freeze({
    registerHooks(hooks) {
      hooks.on('after_tool_call', ({ toolName, ok }) => {
        if (toolName === CONNECT && ok) isHost = true
      })
    },
    isOnHost(workbench, toolName) {
      if (!toolName.startsWith(PREFIX)) return false
      const name = toolName.slice(PREFIX.length)
      if (name === CONNECT) return true
      if (!isHost) return false
      const scopes = workbench.scopeFor({ method: 'tools/call', params: { name, arguments: {} } })
      return scopes.includes('code:execute')
    },
  } satisfies ExecutionPlace)
}
