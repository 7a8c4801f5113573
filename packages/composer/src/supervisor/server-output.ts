import type { LinkEvents } from '../link/link.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { LineFiles } from './line-files.ts'
import type { SupervisorEvent } from './supervisor.ts'

export interface ServerOutput extends LinkEvents {
  /** Of standard error. */
  lastLines(): readonly string[]
}

export interface ServerOutputOptions {
  readonly tell: (event: SupervisorEvent) => void
  readonly files: LineFiles
  readonly onCatalog: LinkEvents['onCatalog']
}

const LAST_LINES = 50

/** Where everything goes that one generation of a server says unasked. */
export function createServerOutput(definition: ServerDefinition, options: ServerOutputOptions): ServerOutput {
  const { tell, files, onCatalog } = options
  const { name: server } = definition
  const { logStderr, logFile } =
    definition.transport === 'stdio' ? definition : { logStderr: true, logFile: undefined }
  const lines: string[] = []

  return Object.freeze({
    onCatalog,
    onResource: (uri) => tell({ type: 'resource', server, uri }),
    onLog: (entry) => tell({ type: 'log', server, entry }),
    onGarbage: () => tell({ type: 'garbage', server }),
    onStderr(line) {
      lines.push(line)
      if (lines.length > LAST_LINES) lines.shift()
      if (logFile !== undefined) files.append(logFile, line)
      if (logStderr) tell({ type: 'stderr', server, line })
    },
    lastLines: () => [...lines],
  } satisfies ServerOutput)
}
