import { A2UI_MEDIA_TYPE, A2UI_VERSION, BASIC_CATALOG } from './messages.ts'

/** Examples for the documentation. */

const ROOT = '/api/v1/a2ui'

export const PROTOCOL_EXAMPLE = Object.freeze({
  protocol: 'a2ui',
  description: 'Turns of agents as user interfaces that any renderer of A2UI can show.',
  documentation: 'https://a2ui.org',
  version: A2UI_VERSION,
  versions: [A2UI_VERSION],
  media_type: A2UI_MEDIA_TYPE,
  catalogs: [BASIC_CATALOG],
  streams: ['text/event-stream', 'application/x-ndjson'],
  endpoints: { agents: `${ROOT}/agents`, prompt: `${ROOT}/agents/{agent_id}` },
})

export const AGENTS_EXAMPLE = Object.freeze({
  agents: [
    {
      id: 'guide',
      name: 'Guide',
      description: 'A rule-based guide.',
      endpoint: `${ROOT}/agents/guide`,
      extension: {
        uri: `https://a2ui.org/a2a-extension/a2ui/${A2UI_VERSION}`,
        params: { supportedCatalogIds: [BASIC_CATALOG], acceptsInlineCatalogs: false },
      },
    },
  ],
  count: 1,
})

const version = A2UI_VERSION
const surfaceId = '0199f3c2'
const MESSAGES = [
  { version, createSurface: { surfaceId, catalogId: BASIC_CATALOG } },
  {
    version,
    updateComponents: {
      surfaceId,
      components: [
        { id: 'root', component: 'Column', children: ['text-0'] },
        { id: 'text-0', component: 'Text', text: { path: '/texts/text-0' } },
      ],
    },
  },
  { version, updateDataModel: { surfaceId, path: '/texts/text-0', value: 'It is sunny in Bern.' } },
].map((message) => JSON.stringify(message))

/** A turn as it goes over the wire. */
export const EVENTS = MESSAGES.map((message) => `data: ${message}\n\n`).join('')
export const LINES = MESSAGES.map((message) => `${message}\n`).join('')
