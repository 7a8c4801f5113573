import type {
  Client,
  Prompt,
  RequestOptions,
  Resource,
  ResourceTemplateType,
  Tool,
} from '@modelcontextprotocol/client'
import * as z from 'zod'
import { isRecord } from '../json.ts'

/** What a server offers. */
export interface Catalog {
  readonly tools: readonly Tool[]
  readonly prompts: readonly Prompt[]
  readonly resources: readonly Resource[]
  readonly resourceTemplates: readonly ResourceTemplateType[]
}

export type CatalogKind = keyof Catalog

export const CATALOG_KINDS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const

export const EMPTY_CATALOG: Catalog = Object.freeze({
  tools: Object.freeze([]),
  prompts: Object.freeze([]),
  resources: Object.freeze([]),
  resourceTemplates: Object.freeze([]),
})

const LISTS = Object.freeze({
  tools: { method: 'tools/list', capability: 'tools', key: 'name' },
  prompts: { method: 'prompts/list', capability: 'prompts', key: 'name' },
  resources: { method: 'resources/list', capability: 'resources', key: 'uri' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources', key: 'uriTemplate' },
} as const)

const MAX_PAGES = 1000
const MAX_ITEMS = 100_000

/** Every page of one list, each entry as the server wrote it. Empty when the server does not offer that kind. */
export async function listAll<Kind extends CatalogKind>(
  client: Client,
  kind: Kind,
  options: RequestOptions,
): Promise<Catalog[Kind]> {
  const { method, capability, key } = LISTS[kind]
  // The SDK would answer the same, but it says so on stdout, which may be a protocol stream.
  if (!client.getServerCapabilities()?.[capability]) return EMPTY_CATALOG[kind]
  const items: unknown[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES && items.length < MAX_ITEMS; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const result = await client.request({ method, params }, asIs, options)
    const entries = result[kind]
    if (!Array.isArray(entries)) throw new Error(`the answer to ${method} has no list "${kind}"`)
    items.push(...entries.filter((entry) => isNamed(entry, key)))
    const next = result.nextCursor
    if (typeof next !== 'string' || next === cursor) return toCatalogList<Kind>(items)
    cursor = next
  }
  throw new Error(`${method} goes on after ${MAX_PAGES} pages or ${MAX_ITEMS} entries`)
}

/** A result as it came: the SDK's own schemas drop what they do not know. */
export const asIs = z.looseObject({})

function isNamed(entry: unknown, key: string): boolean {
  return isRecord(entry) && typeof entry[key] === 'string'
}

/** The one place where entries of a server get their type: each has its key, the rest is the server's word. */
function toCatalogList<Kind extends CatalogKind>(items: readonly unknown[]): Catalog[Kind] {
  return Object.freeze(items) as Catalog[Kind]
}
