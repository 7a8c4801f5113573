import type { Principal } from '@quire/kit/auth/principal'
import type { AccessView } from '../access/access.ts'
import { createServerSight, managesServers } from '../access/server-sight.ts'
import type { Server, ServerDetail } from '../contract.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { ServerFailure, SupervisedServer } from '../supervisor/supervisor.ts'
import { everyTool } from './offers.ts'
import type { ComposerParts } from './parts.ts'

type Offers = Pick<Server, 'tools_count' | 'prompts_count' | 'resources_count'>

export type ServerRecordParts = Pick<ComposerParts, 'catalog' | 'calls' | 'redactor' | 'viewOf'>

/**
 * How servers are shown to a caller: of one that is not for them only that it is there and how it is, and the command or the URL only to those
 * who manage servers. Counts what each offers them once, for as many servers as are asked for.
 */
export function createServerRecords(
  { catalog, calls, redactor, viewOf }: ServerRecordParts,
  principal: Principal,
) {
  const view = viewOf(principal)
  const sight = createServerSight(catalog, { view, principal })
  const withAddress = managesServers(principal)
  const offersOf = countOffers(catalog, view)

  function toServer(server: SupervisedServer): Server {
    const { name, definition } = server
    const status = server.status()
    const lastError = errorOf(server)
    return {
      id: name,
      name,
      state: status.state,
      ...(definition.transport === 'built-in'
        ? { transport: 'embedded', built_in: true }
        : { transport: definition.transport }),
      ...(sight.sees(name) && {
        ...(definition.transport === 'embedded' && { module: definition.module }),
        ...(withAddress && addressOf(definition, redactor)),
      }),
      pid: status.pid,
      uptime_seconds: status.uptimeSeconds === null ? null : tenths(status.uptimeSeconds),
      restart_count: status.restartCount,
      last_error: lastError && redactor.text(lastError.reason),
      ...offersOf(name),
      auto_start: definition.autoStart,
      retry_in_seconds: status.retryInMs === null ? null : tenths(status.retryInMs / 1000),
      circuit: calls.status(name).circuit,
    }
  }

  function toDetail(server: SupervisedServer): ServerDetail {
    const failure = errorOf(server)
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

  function errorOf({ name, status }: SupervisedServer): ServerFailure | null {
    return sight.sees(name) ? status().lastError : null
  }

  return { toServer, toDetail, offersOf, ...sight }
}

function countOffers(
  catalog: ServerRecordParts['catalog'],
  view: AccessView | undefined,
): (server: string) => Offers {
  const counts = new Map<string, Offers>()
  const offersOf = (server: string) =>
    counts.get(server) ?? { tools_count: 0, prompts_count: 0, resources_count: 0 }
  const count = (field: keyof Offers, entries: readonly { readonly server: string }[]) => {
    for (const { server } of entries) {
      const known = offersOf(server)
      counts.set(server, { ...known, [field]: known[field] + 1 })
    }
  }
  count('tools_count', everyTool(catalog, view))
  count('prompts_count', catalog.prompts(view))
  count('resources_count', catalog.resources(view))
  return offersOf
}

function addressOf(
  definition: ServerDefinition,
  redactor: ServerRecordParts['redactor'],
): Pick<Server, 'command' | 'args' | 'url'> {
  if (definition.transport === 'stdio') return toCommand(definition.command, redactor)
  if (definition.transport === 'embedded' || definition.transport === 'built-in') return {}
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
