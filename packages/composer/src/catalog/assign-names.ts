import type { ConflictStrategy, ToolSettings } from '../config/config.ts'
import type { Conflict } from './composed-catalog.ts'
import { matchesGlob } from './glob.ts'
import { isMcpName, toMcpName, withHash } from './mcp-name.ts'
import { createVersionSuffix } from './versions.ts'

/** A tool or prompt that wants a name on MCP. */
export interface Nameable {
  readonly server: string
  /** Its name at its server. */
  readonly own: string
  /** `server:own`. */
  readonly id: string
  readonly version: string | undefined
}

export interface NameAssignment<Item extends Nameable> {
  /** By item; one without a name is not offered over MCP. No two are equal, and each is one that every client takes. */
  readonly names: ReadonlyMap<Item, string>
  readonly conflicts: readonly Conflict[]
}

export type NamingSettings = Pick<ToolSettings, 'strategy' | 'overrides' | 'template' | 'versioning'>

interface Wish<Item> {
  readonly item: Item
  readonly text: string
  /** Its own name as it is, which is taken from nobody for the sake of a name that is made up. */
  readonly isOwn: boolean
}

const MAX_SHOWN = 5

/** Names for all, given in the order of the configuration: it decides who keeps a name, whoever came first. */
export function assignNames<Item extends Nameable>(
  items: readonly Item[],
  settings: NamingSettings,
  type: 'tool' | 'prompt',
): NameAssignment<Item> {
  const groups = Map.groupBy(items, ({ own }) => own)
  const wishes = [...groups].flatMap(([own, group]) => wishesOf(group, strategyFor(own, settings), settings))
  const { names, conflicts } = grantWishes(inOrder(wishes, items), type)
  for (const [own, group] of groups) {
    if (group.length > 1) conflicts.push(describeGroup(type, own, group, names))
  }
  return { names, conflicts }
}

function strategyFor(own: string, { overrides, strategy }: NamingSettings): ConflictStrategy {
  return overrides.find(({ pattern }) => matchesGlob(pattern, own))?.strategy ?? strategy
}

/** Of items that share their own name. */
function wishesOf<Item extends Nameable>(
  group: readonly Item[],
  strategy: ConflictStrategy,
  settings: NamingSettings,
): readonly Wish<Item>[] {
  const suffixOf = createVersionSuffix(group, settings.versioning)
  const wishes = group.map((item): Wish<Item> => {
    const text = `${joinName(item, strategy, settings.template)}${suffixOf(item)}`
    return { item, text, isOwn: keepsNames(strategy) && isMcpName(text) }
  })
  if (!keepsNames(strategy)) return wishes
  return [...Map.groupBy(wishes, ({ text }) => text).values()].flatMap((rivals) => {
    if (rivals.length === 1 || strategy === 'ignore') return rivals.slice(0, 1)
    return strategy === 'override' ? rivals.slice(-1) : []
  })
}

function keepsNames(strategy: ConflictStrategy): boolean {
  return strategy === 'ignore' || strategy === 'override' || strategy === 'error'
}

function joinName({ server, own }: Nameable, strategy: ConflictStrategy, template: string): string {
  switch (strategy) {
    case 'prefix':
      return `${server}__${own}`
    case 'suffix':
      return `${own}__${server}`
    case 'custom':
      return template.replace(/\{(server|tool)_name\}/g, (_match, what) => (what === 'server' ? server : own))
    default:
      return own
  }
}

function inOrder<Item>(wishes: readonly Wish<Item>[], items: readonly Item[]): readonly Wish<Item>[] {
  const byItem = new Map(wishes.map((wish) => [wish.item, wish]))
  return items.flatMap((item) => byItem.get(item) ?? [])
}

function grantWishes<Item extends Nameable>(wishes: readonly Wish<Item>[], type: Conflict['type']) {
  const names = new Map<Item, string>()
  const owners = new Map<string, Item>()
  const late: { readonly item: Item; readonly name: string }[] = []
  const conflicts: Conflict[] = []
  const own = wishes.filter(({ isOwn }) => isOwn)
  const made = wishes.filter(({ isOwn }) => !isOwn)
  for (const { item, text } of [...own, ...made]) {
    const name = toMcpName(text, item.id)
    if (owners.has(name)) late.push({ item, name })
    else give(item, name)
  }
  for (const { item, name } of late) {
    let attempt = 0
    while (owners.has(withHash(name, item.id, attempt))) attempt += 1
    const other = withHash(name, item.id, attempt)
    const owner = owners.get(name) ?? item
    give(item, other)
    conflicts.push({
      type,
      name,
      servers: [...new Set([owner.server, item.server])],
      resolution: `${owner.id} has the name; ${item.id} is offered as ${other}.`,
    })
  }
  return { names, conflicts }

  function give(item: Item, name: string): void {
    owners.set(name, item)
    names.set(item, name)
  }
}

function describeGroup<Item extends Nameable>(
  type: 'tool' | 'prompt',
  own: string,
  group: readonly Item[],
  names: ReadonlyMap<Item, string>,
): Conflict {
  const named = group.filter((item) => names.has(item))
  const left = group.filter((item) => !names.has(item)).map(({ id }) => id)
  const given = named.map((item) => names.get(item) ?? '')
  return { type, name: own, servers: group.map(({ server }) => server), resolution: resolution() }

  function resolution(): string {
    if (left.length === 0) return `Each is offered under a name of its own: ${shortList(given)}.`
    const remedy =
      type === 'tool'
        ? 'To offer it over MCP, exclude the others, give it an alias, or choose the strategy "prefix"; over REST it is there'
        : 'To offer it, choose the strategy "prefix"'
    if (named.length === 0)
      return `None is offered over MCP, as the strategy "error" asks: ${shortList(left)}. ${remedy}.`
    return `${shortList(given)} is that of "${named.map(({ server }) => server).join('", "')}"; not offered over MCP: ${shortList(left)}. ${remedy}.`
  }
}

function shortList(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_SHOWN).join(', ')
  return texts.length > MAX_SHOWN ? `${shown} and ${texts.length - MAX_SHOWN} more` : shown
}
