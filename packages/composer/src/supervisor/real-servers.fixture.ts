import { fileURLToPath } from 'node:url'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import type { OpenLink } from '../link/link.ts'
import { openLink } from '../link/open-link.ts'
import type { StdioDefinition } from '../server-definition.ts'
import { createSupervisor, type SupervisorOptions } from './create-supervisor.ts'
import { define } from './links.fixture.ts'
import { identify } from './process-identity.ts'
import type { Supervisor, SupervisorEvent } from './supervisor.ts'

/** Real links, to servers that get less time for their end. */
export const hastyOpenLink: OpenLink = (definition, options) =>
  openLink(definition, { ...options, stopTimes: { endMs: 150, terminateMs: 150 } })

export function defineRough(
  name: string,
  args: readonly string[],
  extra: Partial<StdioDefinition> = {},
): StdioDefinition {
  const file = fileURLToPath(new URL('../fixtures/rough-server.ts', import.meta.url))
  const restart = { policy: 'on-failure', maxRestarts: undefined, delayMs: 1 } as const
  return define(name, { command: [process.execPath, file, ...args], restart, ...extra })
}

/** Supervisors over real links, which are closed together. */
export function createRealSupervisors() {
  const opened: Supervisor[] = []

  function supervise(options: Partial<SupervisorOptions> = {}) {
    const events: SupervisorEvent[] = []
    const supervisor = createSupervisor({
      openLink: hastyOpenLink,
      logger: createSilentLogger(),
      environment: { PATH: '/usr/bin:/bin' },
      clientInfo: { name: 'test', version: '1' },
      onEvent: (event) => events.push(event),
      ...options,
    })
    opened.push(supervisor)
    return {
      supervisor,
      events,
      server(name: string) {
        const server = supervisor.find(name)
        if (!server) throw new Error(`there is no server ${name}`)
        return server
      },
      stderr: (name: string) =>
        events.flatMap((event) => (event.type === 'stderr' && event.server === name ? [event.line] : [])),
    }
  }

  return {
    supervise,
    async closeAll(): Promise<void> {
      await Promise.all(opened.splice(0).map((supervisor) => supervisor.close()))
    },
  }
}

export function isRunning(pid: number): boolean {
  return identify(pid) !== undefined
}
