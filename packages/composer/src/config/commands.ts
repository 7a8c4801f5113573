import type { ConfiguredDefinition } from '../server-definition.ts'
import type { ComposerConfig } from './config.ts'

/** A process that a configuration would start, with all that decides what it does. */
export interface ServerCommand {
  readonly server: string
  /** The program, then its arguments. */
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  readonly workingDir: string | undefined
}

/** Those of servers that are not enabled included: one word brings them to life. */
export function commandsOf(config: ComposerConfig): readonly ServerCommand[] {
  return everyServer(config).flatMap((definition): ServerCommand[] => {
    const program = definition.transport === 'stdio' ? definition : programOf(definition)
    if (!program) return []
    const { command, env, workingDir } = program
    return [{ server: definition.name, command, env, workingDir }]
  })
}

export function everyServer(config: ComposerConfig): readonly ConfiguredDefinition[] {
  return [...config.servers, ...(config.disabledServers ?? [])]
}

function programOf(definition: ConfiguredDefinition) {
  return definition.transport === 'http' || definition.transport === 'sse' ? definition.program : undefined
}
