import { toText } from '../../ui/to-text.ts'
/** What a tool's answer brings along to be shown: a page of HTML of an MCP App, or messages of A2UI. */
export type UserInterface =
  /** Without `html` it is read from the toolset. */
  | { readonly kind: 'app'; readonly uri: string; readonly html?: string | undefined }
  | { readonly kind: 'surface'; readonly uri: string; readonly text: string }

const UI_URI = /^ui:\/\//
const HTML = /^text\/html\s*(?:;|$)/i
const A2UI = /^application\/(?:a2ui\+json|json\+a2ui)\s*(?:;|$)/i

type Table = Readonly<Record<string, unknown>>

/** With what the tool itself announces, where its answer names nothing else. */
export function userInterfacesOf(result: Table, announced?: string): readonly UserInterface[] {
  const blocks = Array.isArray(result.content) ? result.content.filter(isTable) : []
  const found = blocks.flatMap(fromBlock)
  const { ui } = isTable(result._meta) ? result._meta : {}
  const uri = isTable(ui) ? ui.resourceUri : found.length === 0 ? announced : undefined
  if (typeof uri === 'string' && UI_URI.test(uri) && !found.some((one) => one.uri === uri))
    return [...found, { kind: 'app', uri }]
  return found
}

function fromBlock(block: Table): UserInterface[] {
  if (block.type === 'resource_link' && UI_URI.test(toText(block.uri)))
    return [{ kind: 'app', uri: toText(block.uri) }]
  const { resource } = block
  if (block.type !== 'resource' || !isTable(resource)) return []
  const uri = toText(resource.uri)
  const mimeType = toText(resource.mimeType)
  const text = textOf(resource)
  if (text === undefined) return []
  if (A2UI.test(mimeType)) return [{ kind: 'surface', uri, text }]
  return UI_URI.test(uri) && HTML.test(mimeType) ? [{ kind: 'app', uri, html: text }] : []
}

export function textOf({ text, blob }: Table): string | undefined {
  if (typeof text === 'string') return text
  return typeof blob === 'string' ? fromBase64(blob) : undefined
}

function fromBase64(text: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)))
  } catch {
    return undefined
  }
}

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
