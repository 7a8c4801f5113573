import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { json, REFUSED, UNREADABLE } from './declare.ts'

/** Where they are; what is absent is not served. */
export interface Endpoints {
  readonly metrics?: string | undefined
  readonly mcp?: string | undefined
  readonly sse?: { readonly stream: string; readonly messages: string } | undefined
}

const tags = ['mcp']
const security = needs()
const EVENTS = {
  description: 'An event stream',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
} as const
const MESSAGE = { type: 'object', description: 'A JSON-RPC message, or an array of them' } as const
const request = { body: { required: true, content: { 'application/json': { schema: MESSAGE } } } }
const SCOPES =
  'What a message needs is decided by its method: lists need `tools:list`, calls and reads `tools:invoke`.'

/** What answers beside the API, for its document. Each is mounted by whoever owns it. */
export function describeEndpoints(app: ServiceApp, { metrics, mcp, sse }: Endpoints): void {
  const { openAPIRegistry: registry } = app
  if (metrics !== undefined)
    registry.registerPath({
      tags: ['status'],
      method: 'get',
      path: metrics,
      operationId: 'prometheusMetrics',
      summary: 'All counts, as Prometheus reads them',
      // Its labels name the tools of all servers.
      security: needs('logs:read'),
      responses: {
        ...REFUSED,
        200: { description: 'The counts', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
    })
  if (mcp !== undefined) {
    const common = { tags, path: mcp, security }
    const unknown = { 404: json('There is no such session', MESSAGE) }
    registry.registerPath({
      ...common,
      method: 'post',
      operationId: 'sendMcpMessage',
      summary: 'The Model Context Protocol, with and without sessions',
      description: SCOPES,
      request,
      responses: {
        ...REFUSED,
        ...UNREADABLE,
        ...unknown,
        200: {
          description: 'The answer, at once or as an event stream',
          content: { 'application/json': { schema: MESSAGE }, ...EVENTS.content },
        },
        202: { description: 'Notifications and answers are taken without an answer' },
      },
    })
    registry.registerPath({
      ...common,
      method: 'get',
      operationId: 'streamMcpMessages',
      summary: 'What servers say to a session beside the answers to its requests',
      responses: { ...REFUSED, ...unknown, 200: EVENTS },
    })
    registry.registerPath({
      ...common,
      method: 'delete',
      operationId: 'endMcpSession',
      summary: 'End a session',
      responses: { ...REFUSED, ...unknown, 200: { description: 'It is over' } },
    })
  }
  if (sse) {
    registry.registerPath({
      tags,
      security,
      method: 'get',
      path: sse.stream,
      operationId: 'openSseSession',
      summary:
        'The old transport of the Model Context Protocol; its first event says where messages are sent',
      responses: { ...REFUSED, 200: EVENTS },
    })
    registry.registerPath({
      tags,
      security,
      method: 'post',
      path: sse.messages,
      operationId: 'sendSseMessage',
      summary: 'A message of the old transport; the answer comes on the stream',
      description: SCOPES,
      request,
      responses: {
        ...REFUSED,
        ...UNREADABLE,
        202: { description: 'It is taken' },
        404: json('There is no such session', MESSAGE),
      },
    })
  }
}
