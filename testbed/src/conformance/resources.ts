import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { PNG } from './samples.ts'

export function registerResources(server: McpServer): void {
  const text = { mimeType: 'text/plain' }
  server.registerResource(
    'static-text',
    'test://static-text',
    { ...text, description: 'A text that never changes' },
    (uri) => ({
      contents: [{ uri: uri.href, ...text, text: 'This is the content of the static text resource.' }],
    }),
  )
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { mimeType: 'image/png', description: 'An image that never changes' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'image/png', blob: PNG }] }),
  )
  server.registerResource(
    'watched-resource',
    'test://watched-resource',
    { ...text, description: 'A text that can be watched' },
    (uri) => ({ contents: [{ uri: uri.href, ...text, text: 'Watched resource content' }] }),
  )
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json', description: 'Data of an id' },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  )
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
}
