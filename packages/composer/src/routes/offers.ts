import { isRecord } from '@quire/mcp/json'
import type {
  ComposedCatalog,
  PromptEntry,
  ResourceEntry,
  ToolEntry,
  View,
} from '../catalog/composed-catalog.ts'
import type { Prompt, Resource, Tool, ToolDetail } from '../contract.ts'

/** Each tool once, however many aliases it has. */
export function everyTool(catalog: Pick<ComposedCatalog, 'search'>, view?: View): readonly ToolEntry[] {
  return catalog.search({ limit: Number.MAX_SAFE_INTEGER, offset: 0 }, view).tools
}

// The types of items are what servers should write, not what they wrote: one that is wrong must not spoil the list of all.

export function toTool({ id, name, server, item, trust, hash }: ToolEntry): Tool {
  const { title, inputSchema, outputSchema, annotations } = item
  return {
    name: id,
    ...(typeof title === 'string' && { title }),
    description: toText(item.description),
    input_schema: isRecord(inputSchema) ? inputSchema : {},
    ...(isRecord(outputSchema) && { output_schema: outputSchema }),
    ...(isRecord(annotations) && { annotations }),
    server,
    mcp_name: name,
    trust,
    hash,
  }
}

export function toToolDetail(entry: ToolEntry): ToolDetail {
  return { ...toTool(entry), ...(entry.approved && { approved_definition: { ...entry.approved } }) }
}

export function toPrompt({ id, name, server, item }: PromptEntry): Prompt {
  const { title, arguments: parameters } = item
  return {
    name: id,
    ...(typeof title === 'string' && { title }),
    description: toText(item.description),
    arguments: Array.isArray(parameters) ? parameters.filter(isRecord) : [],
    server,
    mcp_name: name,
  }
}

export function toResource({ server, item }: ResourceEntry): Resource {
  const { uri, name, mimeType } = item
  return {
    uri,
    name: toText(name),
    description: toText(item.description),
    ...(typeof mimeType === 'string' && { mime_type: mimeType }),
    server,
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
