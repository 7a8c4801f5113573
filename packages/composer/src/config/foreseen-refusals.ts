import { everyServer } from './commands.ts'
import type { ComposerConfig } from './config.ts'
import type { PathFault } from './config-fault.ts'
import { foreignCommands, type Known } from './foreign-commands.ts'
import { hasHidden, type Rewritten } from './rewritten.ts'
import { serverEntries } from './server-entries.ts'
import type { TomlDocument } from './toml/parse-toml.ts'

export interface Foreseen extends Known {
  readonly next: ComposerConfig
  /** The document that `next` was made of. */
  readonly document: TomlDocument
  /** The present one as it is shown. */
  readonly shown: TomlDocument
  readonly rewritten: Rewritten
}

/**
 * What would be refused if the configuration were sent to be written. Nobody learns from it whether a guess at what is hidden is right: a command with
 * something hidden in it is known only to the server that has it, and only while that says the same as what is shown.
 */
export function foreseenRefusals(foreseen: Foreseen): readonly PathFault[] {
  const { next, present, allowed, document, shown, rewritten } = foreseen
  const hiding = new Set(
    serverEntries(shown).flatMap(({ table }) => (hasHidden(table) ? [String(table.name)] : [])),
  )
  const isKept = (name: string) => hiding.has(name) && !rewritten.servers.has(name)
  const open = withFiles(
    only(present, (name) => !hiding.has(name)),
    rewritten,
  )
  const kept = everyServer(next)
    .filter(({ name }) => isKept(name))
    .flatMap(({ name }) => {
      const isIt = (other: string) => other === name
      const own = withFiles(only(present, isIt), rewritten)
      return foreignCommands(only(next, isIt), { present: own, allowed }).filter(({ server }) => server)
    })
  const others = foreignCommands(
    only(next, (name) => !isKept(name)),
    { present: open, allowed },
  )
  const places = new Map(serverEntries(document).map(({ path, table }) => [table.name, path]))
  return [...others, ...kept].map(({ server, message }) => ({
    path: (server !== undefined && places.get(server)) || [],
    message,
  }))
}

function only(config: ComposerConfig, isWanted: (name: string) => boolean): ComposerConfig {
  return {
    ...config,
    servers: config.servers.filter(({ name }) => isWanted(name)),
    disabledServers: (config.disabledServers ?? []).filter(({ name }) => isWanted(name)),
  }
}

/** A file whose name is hidden, and which is named anew, is another one. */
function withFiles(config: ComposerConfig, { places }: Rewritten): ComposerConfig {
  const { logFile, auditFile } = config.monitoring
  return {
    ...config,
    monitoring: {
      ...config.monitoring,
      logFile: places.includes('monitoring.logging.log_file') ? undefined : logFile,
      auditFile: places.includes('monitoring.audit_file') ? undefined : auditFile,
    },
  }
}
