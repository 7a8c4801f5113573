import { isRecord } from '@quire/mcp/json'
import { documentOf } from './mask.ts'
import { originOf } from './origin.ts'
import { serverEntries } from './server-entries.ts'
import { variablesIn } from './substitute.ts'

const OWN = ['QUIRE_CONFIG_DIR', 'MCP_COMPOSE_CONFIG_DIR']

/**
 * Variables of our environment that a text which came over the API asks for, and the old one does not ask for in the same place: one sentence for
 * each. Whoever may name any variable and any address could have all of our secrets sent to their own.
 */
export function foreignVariables(oldText: string, newText: string): readonly string[] {
  const known = new Set(usesOf(oldText).map(({ use }) => use))
  const foreign = usesOf(newText).filter(({ use, name }) => !known.has(use) && !OWN.includes(name))
  return [...new Set(foreign.map(({ name, holder }) => sentence(name, holder)))]
}

function sentence(name: string, holder: string): string {
  return `${holder} asks for the variable ${name}, which the configuration file does not give to it. Write it into the file and reload it, or send the value itself.`
}

interface Use {
  readonly name: string
  readonly holder: string
  readonly use: string
}

/** A server may go on using its variables as long as it stays what it is: at the same address, by the same program. */
function usesOf(text: string): readonly Use[] {
  const document = documentOf(text)
  const servers = serverEntries(document).flatMap(({ table }): Use[] => {
    const program = Array.isArray(table.command) ? table.command[0] : undefined
    const self = [table.name, originOf(table.url), program, table.package]
    return namesIn(table).map((name) => ({
      name,
      holder: `Server "${String(table.name)}"`,
      use: JSON.stringify([name, self]),
    }))
  })
  const others = Object.entries(document).flatMap(([section, table]): Use[] =>
    section === 'servers'
      ? []
      : namesIn(table).map((name) => ({
          name,
          holder: `[${section}]`,
          use: JSON.stringify([name, section]),
        })),
  )
  return [...servers, ...others]
}

function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return variablesIn(value)
  if (Array.isArray(value)) return value.flatMap(namesIn)
  return isRecord(value) ? Object.values(value).flatMap(namesIn) : []
}
