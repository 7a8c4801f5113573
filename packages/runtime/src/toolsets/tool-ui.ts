import type { ClientCapabilities, Tool } from '@modelcontextprotocol/client'
import type { McpUiToolVisibility } from '@modelcontextprotocol/ext-apps'
import {
  EXTENSION_ID,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
} from '@modelcontextprotocol/ext-apps/server'
import { isJsonObject } from '@quire/agent/json'

type WithMeta = Pick<Tool, '_meta'>

const UI_SCHEME = 'ui://'

/** What servers are told at the handshake: their tools may come with user interfaces. */
export const UI_CAPABILITIES: ClientCapabilities = Object.freeze({
  extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } },
})

/** Where a tool's user interface is, by the present key or the one before it. */
export function uiResourceOf({ _meta }: WithMeta): string | undefined {
  return [uiMetaOf(_meta)?.resourceUri, _meta?.[RESOURCE_URI_META_KEY]].find(isUiUri)
}

export function isUiUri(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.startsWith(UI_SCHEME)
}

/** A tool that says nothing is for both. */
export function isVisibleTo({ _meta }: WithMeta, who: McpUiToolVisibility): boolean {
  const visibility = uiMetaOf(_meta)?.visibility
  if (visibility === undefined) return true
  return Array.isArray(visibility) ? visibility.includes(who) : visibility === who
}

function uiMetaOf(meta: Tool['_meta']) {
  const ui = meta?.ui
  return isJsonObject(ui) ? ui : undefined
}
