import type { SupervisedServer, Supervisor } from '../supervisor/supervisor.ts'

/** What the servers say of how they are to be used, each under its name. Those of a server that sleeps are remembered. */
export interface Instructions {
  /** Of a server that has just come to run. */
  learn(server: SupervisedServer): void
  /** Of the servers that the caller sees. */
  compose(mode: 'full' | 'search', sees: (server: string) => boolean): string | undefined
}

const MAX_OF_ONE = 4_000
const MAX_TOGETHER = 32_000
const SEARCH_INSTRUCTIONS =
  'The tools of several servers are behind three: find tools with search_tools, read how one is called with describe_tool, and call it with call_tool.'

export function createInstructions(supervisor: Pick<Supervisor, 'servers'>): Instructions {
  // By the server itself: one that is removed takes its words along.
  const told = new WeakMap<SupervisedServer, string>()

  return Object.freeze({
    learn(server) {
      const text = server.link()?.info().instructions?.trim()
      if (text) told.set(server, cut(text, MAX_OF_ONE))
      else told.delete(server)
    },
    compose(mode, sees) {
      const parts = supervisor.servers().flatMap((server) => {
        const text = told.get(server)
        return text === undefined || !sees(server.name) ? [] : [`## ${server.name}\n${text}`]
      })
      if (mode === 'search') parts.unshift(SEARCH_INSTRUCTIONS)
      return parts.length > 0 ? cut(parts.join('\n\n'), MAX_TOGETHER) : undefined
    },
  } satisfies Instructions)
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
