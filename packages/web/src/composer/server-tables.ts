/** The tables of the file that servers stand in; what a server's record calls its transport does not say which. */
const LISTS = [
  ['proxied', 'stdio'],
  ['proxied', 'http'],
  ['proxied', 'streamable-http'],
  ['proxied', 'streamable_http'],
  ['proxied', 'sse'],
  ['embedded', 'servers'],
] as const

export type ServerKind = 'stdio' | 'streamable-http' | 'sse'

export type Table = Readonly<Record<string, unknown>>

export function withServer(document: Table, kind: ServerKind, entry: Table): Table {
  return changeList(document, ['proxied', kind], (entries) => [...entries, entry])
}

export function withoutServer(document: Table, name: string): Table {
  return LISTS.reduce(
    (changed, place) =>
      changeList(changed, place, (entries) => entries.filter((entry) => entry.name !== name)),
    document,
  )
}

/** Lists that are not there and stay empty are not made; those that become empty are taken out. */
function changeList(
  document: Table,
  [group, list]: readonly [string, string],
  change: (entries: readonly Table[]) => readonly Table[],
): Table {
  const servers = toTable(document.servers)
  const lists = toTable(servers[group])
  const before = Array.isArray(lists[list]) ? lists[list] : []
  const after = change(before)
  if (after.length === before.length) return document
  const { [list]: _replaced, ...others } = lists
  return {
    ...document,
    servers: { ...servers, [group]: after.length === 0 ? others : { ...others, [list]: after } },
  }
}

function toTable(value: unknown): Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {}
}
