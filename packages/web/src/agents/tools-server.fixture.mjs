// A small MCP server on standard input and output, with tools that answer in all the ways that a page has to show.
import { createInterface } from 'node:readline'
import { GALLERY, TRAP } from './gallery.fixture.mjs'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const APP = `<!doctype html><body><h1>Weather app</h1><p id="out">waiting</p><script>
const out = document.getElementById('out')
let reach = 'kept inside'
try { reach = parent.document.title } catch {}
addEventListener('message', ({ data }) => {
  if (data.id === 1) parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/initialized' }, '*')
  if (data.method === 'ui/notifications/tool-result')
    parent.postMessage({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'weather', arguments: { city: 'Uri' } } }, '*')
  if (data.id === 2) out.textContent = (data.error?.message ?? data.result.content[0].text) + ', ' + reach
})
parent.postMessage({ jsonrpc: '2.0', id: 1, method: 'ui/initialize', params: { appInfo: { name: 'w', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26' } }, '*')
</script></body>`
const SURFACE = [
  { version: 'v0.9.1', createSurface: { surfaceId: 's', catalogId: 'basic' } },
  {
    version: 'v0.9.1',
    updateComponents: {
      surfaceId: 's',
      components: [
        { id: 'root', component: 'Column', children: ['title', 'picture', 'places', 'field'] },
        { id: 'title', component: 'Text', text: { path: '/title' }, variant: 'h2' },
        {
          id: 'picture',
          component: 'Image',
          url: 'https://pictures.example/x.png',
          description: 'A picture',
        },
        { id: 'places', component: 'List', children: { componentId: 'place', path: '/places' } },
        { id: 'place', component: 'Text', text: { path: 'name' } },
        { id: 'field', component: 'TextField', label: 'City', value: { path: '/city' } },
      ],
    },
  },
  {
    version: 'v0.9.1',
    updateDataModel: {
      surfaceId: 's',
      value: {
        title: 'Choose a city',
        places: [{ name: 'Bern' }, { name: '<img src=x onerror=alert(1)>' }],
        city: 'Bern',
      },
    },
  },
]

const TOOLS = {
  weather: ({ city }) => [{ type: 'text', text: `Sunny in ${city}` }],
  picture: () => [{ type: 'image', data: PIXEL, mimeType: 'image/png' }],
  hostile: () => [{ type: 'text', text: '<img src=x onerror=alert(1)></script>\u202egnissem' }],
  app: () => [
    { type: 'text', text: 'See the app.' },
    {
      type: 'resource',
      resource: { uri: 'ui://weather/app', mimeType: 'text/html;profile=mcp-app', text: APP },
    },
  ],
  /** Its page is announced with the tool, not with the answer. */
  forecast: () => [{ type: 'text', text: 'Rain tomorrow.' }],
  surface: () => [toSurface('a2ui://s', SURFACE)],
  gallery: () => [toSurface('a2ui://g', GALLERY)],
  trap: () => [toSurface('a2ui://t', TRAP)],
}

function toSurface(uri, messages) {
  const resource = { uri, mimeType: 'application/a2ui+json', text: JSON.stringify(messages) }
  return { type: 'resource', resource }
}

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'sample', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: Object.keys(TOOLS).map((name) => ({
      name,
      description: `The tool ${name} <b>of the tests</b>`,
      inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      ...(name === 'forecast' && { _meta: { ui: { resourceUri: 'ui://weather/app' } } }),
    })),
  }),
  'tools/call': ({ name, arguments: args }) => ({ content: TOOLS[name](args ?? {}) }),
  'resources/list': () => ({ resources: [{ uri: 'ui://weather/app', name: 'app' }] }),
  'resources/read': ({ uri }) => ({
    contents: [{ uri, mimeType: 'text/html;profile=mcp-app', text: APP }],
  }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = METHODS[method]
  const body = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: 'unknown' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`)
})
