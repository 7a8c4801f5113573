import type { ClientCapabilities, Tool } from '@modelcontextprotocol/client'
import {
  EXTENSION_ID,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
} from '@modelcontextprotocol/ext-apps/server'
import { isJsonObject } from '@quire/agent/json'

const UI_SCHEME = 'ui://'

/** What servers are told at the handshake: their tools may come with user interfaces. */
export const UI_CAPABILITIES: ClientCapabilities = Object.freeze({
  extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } },
})

/** Where a tool's user interface is, by the present key or the one before it. */
export function uiResourceOf({ _meta }: Pick<Tool, '_meta'>): string | undefined {
  const ui = isJsonObject(_meta?.ui) ? _meta.ui : undefined
  return [ui?.resourceUri, _meta?.[RESOURCE_URI_META_KEY]].find(isUiUri)
}

export function isUiUri(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.startsWith(UI_SCHEME)
}
