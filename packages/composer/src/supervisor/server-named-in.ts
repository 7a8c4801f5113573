import type { SupervisedServer, Supervisor } from './supervisor.ts'

/** The server that the name of a tool speaks of, for tools that are not listed because it does not run. */
export function serverNamedIn(
  { servers }: Pick<Supervisor, 'servers'>,
  toolName: string,
): SupervisedServer | undefined {
  const named = servers().filter(
    ({ name }) => toolName.startsWith(`${name}:`) || toolName.startsWith(`${name}__`),
  )
  // `git__hub__search` is of `git__hub`, if there is such a server, and not of `git`.
  return named.sort((one, other) => other.name.length - one.name.length)[0]
}
