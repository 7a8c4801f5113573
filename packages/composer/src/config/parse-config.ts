import { checkDocument } from './checks/check-document.ts'
import { warningsOf } from './checks/warnings.ts'
import type { ComposerConfig } from './config.ts'
import { type ConfigFault, type PathFault, pathName } from './config-fault.ts'
import { explainIssues } from './explain.ts'
import { foreignUses } from './foreign-variables.ts'
import { documentOf } from './mask.ts'
import { ConfigFile } from './schema/config-file.ts'
import { serverEntries } from './server-entries.ts'
import { substitute, type Variables } from './substitute.ts'
import { toConfig } from './to-config.ts'
import { layoutOf } from './toml/layout.ts'
import { createLocator, type Locator } from './toml/locate.ts'
import { parseToml } from './toml/parse-toml.ts'

export interface ConfigOptions {
  /** Where `${NAME}` is looked up. */
  readonly environment: Variables
  /** The folder of the file, absolute: relative paths begin there, and `${QUIRE_CONFIG_DIR}` is it. */
  readonly baseDir: string
  /** For a text that came over the API, the one of the file: a variable that this does not ask for in the same place is a fault, and not looked up. */
  readonly presentText?: string
}

/** There is a configuration, or there are faults. */
export type ParsedConfig =
  | {
      readonly config: ComposerConfig
      readonly faults: readonly []
      readonly warnings: readonly ConfigFault[]
    }
  | {
      readonly config: undefined
      readonly faults: readonly ConfigFault[]
      readonly warnings: readonly ConfigFault[]
    }

const MOST_FAULTS = 500
const MOST_SERVERS = 1000
const TOO_MANY_SERVERS: ConfigFault = {
  path: 'servers',
  line: 1,
  column: 1,
  message: `holds more than ${MOST_SERVERS} servers`,
}

/** What the text of a configuration means, or everything that is wrong with it. Pure: it looks at nothing and starts nothing. */
export function parseConfig(text: string, options: ConfigOptions): ParsedConfig {
  const { environment, baseDir, presentText } = options
  const parsed = parseToml(text)
  if ('fault' in parsed) return { config: undefined, faults: [{ path: '', ...parsed.fault }], warnings: [] }
  if (serverEntries(parsed.document).length > MOST_SERVERS)
    return { config: undefined, faults: [TOO_MANY_SERVERS], warnings: [] }
  const locator = createLocator(text, layoutOf(text))
  const warnings = locate(warningsOf(parsed.document), locator)
  const foreign = presentText === undefined ? [] : foreignUses(documentOf(presentText), parsed.document)
  const variables = { ...environment, QUIRE_CONFIG_DIR: baseDir, MCP_COMPOSE_CONFIG_DIR: baseDir }
  const { document, faults: unset } = substitute(parsed.document, variables, foreign)
  const file = ConfigFile.safeParse(document, { reportInput: true })
  const found = [...explainIssues(file.error?.issues ?? [], MOST_FAULTS), ...checkDocument(document)]
  const faults = locate([...unset, ...found.filter(isNotOf(unset))], locator)
  if (faults.length > 0 || !file.success) return { config: undefined, faults, warnings }
  return { config: toConfig(file.data, baseDir), faults: [], warnings }
}

/** What follows from a variable that is not set would only confuse. */
function isNotOf(unset: readonly PathFault[]): (fault: PathFault) => boolean {
  const places = new Set(unset.map(({ path }) => JSON.stringify(path)))
  return ({ path }) => !places.has(JSON.stringify(path))
}

/** Where in the text they stand, in its order. */
export function locateFaults(text: string, faults: readonly PathFault[]): readonly ConfigFault[] {
  return locate(faults, createLocator(text, layoutOf(text)))
}

function locate(faults: readonly PathFault[], locator: Locator): ConfigFault[] {
  const located = faults.slice(0, MOST_FAULTS).map(({ path, message, word }): ConfigFault => {
    const position = word === undefined ? locator.of(path) : locator.within(path, word)
    return { path: pathName(path), ...position, message }
  })
  return located.sort((one, other) => one.line - other.line || one.column - other.column)
}
