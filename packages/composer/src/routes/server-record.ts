import type { Redactor } from '@quire/kit/redact'
import type { Calls } from '../calls/calls.ts'
import type { ComposedCatalog } from '../catalog/composed-catalog.ts'
import type { Server, ServerDetail } from '../contract.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'
import { everyTool } from './offers.ts'

type Offers = Pick<Server, 'tools_count' | 'prompts_count' | 'resources_count'>

export interface ServerRecordParts {
  readonly catalog: Pick<ComposedCatalog, 'search' | 'prompts' | 'resources'>
  readonly calls: Pick<Calls, 'status'>
  readonly redactor: Pick<Redactor, 'text' | 'record'>
}

/** How servers are shown, with the command or the URL only to those who may know it. Counts what each offers once, for as many of them as are asked for. */
export function createServerRecords(
  { catalog, calls, redactor }: ServerRecordParts,
  { withAddress = false }: { readonly withAddress?: boolean } = {},
) {
  const offersOf = countOffers(catalog)

  function toServer(server: SupervisedServer): Server {
    const { name, definition } = server
    const status = server.status()
    return {
      id: name,
      name,
      state: status.state,
      transport: definition.transport,
      ...(definition.transport === 'embedded' && { module: definition.module }),
      ...(withAddress && addressOf(definition, redactor)),
      pid: status.pid,
      uptime_seconds: status.uptimeSeconds === null ? null : tenths(status.uptimeSeconds),
      restart_count: status.restartCount,
      last_error: status.lastError === null ? null : redactor.text(status.lastError.reason),
      ...offersOf(name),
      auto_start: definition.autoStart,
      retry_in_seconds: status.retryInMs === null ? null : tenths(status.retryInMs / 1000),
      circuit: calls.status(name).circuit,
    }
  }

  function toDetail(server: SupervisedServer): ServerDetail {
    const failure = server.status().lastError
    return {
      ...toServer(server),
      failure: failure && {
        reason: redactor.text(failure.reason),
        exit_code: failure.exitCode,
        signal: failure.signal,
        stderr: failure.stderr.map((line) => redactor.text(line)),
        at: failure.at,
      },
    }
  }

  return { toServer, toDetail, offersOf }
}

function countOffers(catalog: ServerRecordParts['catalog']): (server: string) => Offers {
  const counts = new Map<string, Offers>()
  const offersOf = (server: string) =>
    counts.get(server) ?? { tools_count: 0, prompts_count: 0, resources_count: 0 }
  const count = (field: keyof Offers, entries: readonly { readonly server: string }[]) => {
    for (const { server } of entries) {
      const known = offersOf(server)
      counts.set(server, { ...known, [field]: known[field] + 1 })
    }
  }
  count('tools_count', everyTool(catalog))
  count('prompts_count', catalog.prompts())
  count('resources_count', catalog.resources())
  return offersOf
}

function addressOf(
  definition: ServerDefinition,
  redactor: ServerRecordParts['redactor'],
): Pick<Server, 'command' | 'args' | 'url'> {
  if (definition.transport === 'stdio') return toCommand(definition.command, redactor)
  if (definition.transport === 'embedded') return {}
  const { url, program } = definition
  return { url: redactor.text(url), ...(program && toCommand(program.command, redactor)) }
}

function toCommand(
  [program, ...args]: readonly [string, ...string[]],
  redactor: ServerRecordParts['redactor'],
): { command: string; args: string[] } {
  return {
    command: redactor.text(program),
    args: args.map((arg, index) => maskArgument(arg, args[index - 1] ?? '', redactor)),
  }
}

/** `--token=abc` is known by itself; of `--token abc` the second is known by the first. */
function maskArgument(arg: string, before: string, redactor: ServerRecordParts['redactor']): string {
  const isFlag = before.startsWith('-') && !before.includes('=') && !arg.startsWith('--')
  const [shown] = Object.values(redactor.record({ [isFlag ? before : 'argument']: arg }))
  return String(shown)
}

function tenths(seconds: number): number {
  return Math.round(seconds * 10) / 10
}
