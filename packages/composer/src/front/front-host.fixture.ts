import type { Principal } from '@quire/kit/auth/principal'
import { serve } from '@quire/kit/serve/serve'
import type { ComposerPrincipal } from '../access/composer-principal.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import type { FrontOptions, HttpFront } from './front-options.ts'
import { createTestGateway, type TestGateway } from './gateway.fixture.ts'
import { createHttpFront } from './http-front.ts'

export const MODERN = '2026-07-28'

const CALLERS: Readonly<Record<string, Principal | ComposerPrincipal>> = {
  ada: { subject: 'ada' },
  'ada-in-a-role': { subject: 'ada', roles: ['low'] },
  bob: { subject: 'bob' },
  'ada-reader': { subject: 'ada', scopes: new Set(['read']) },
}

export interface HostOptions extends Partial<FrontOptions> {
  readonly gateway?: TestGateway
  readonly callers?: Readonly<Record<string, Principal | ComposerPrincipal>>
  readonly create?: (gateway: TestGateway, options: FrontOptions) => HttpFront
}

/** A front on a real port; the header `x-caller` plays the guard that knows who calls. */
export async function hostFront({ gateway, callers = CALLERS, create, ...options }: HostOptions = {}) {
  const behind = gateway ?? createTestGateway()
  const front = (create ?? createHttpFront)(behind, { logger: createSilentLogger(), ...options })
  const listening = await serve({
    fetch: (request) => front.fetch(request, { principal: callers[request.headers.get('x-caller') ?? ''] }),
    host: '127.0.0.1',
    port: 0,
  })
  return {
    gateway: behind,
    front,
    url: `${listening.url}/mcp`,
    async close() {
      await front.close()
      await listening.close(0)
    },
  }
}

/** Hosts, and whatever else a test opens: all closed together, the last first. */
export function createHosting(defaults: HostOptions = {}) {
  const cleanups: (() => unknown)[] = []
  return {
    cleanups,
    async host(options: HostOptions = {}) {
      const hosted = await hostFront({ ...defaults, ...options })
      cleanups.push(hosted.close)
      return hosted
    },
    async closeAll() {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
    },
  }
}

export function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  })
}

export function toInitialize(protocolVersion = '2025-11-25', capabilities: object = {}) {
  const clientInfo = { name: 'raw', version: '1' }
  return {
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: { protocolVersion, capabilities, clientInfo },
  }
}

export function toCall(id: string | number, name: string, args: object = {}, meta?: object) {
  const params = { name, arguments: args, ...(meta && { _meta: meta }) }
  return { jsonrpc: '2.0', id, method: 'tools/call', params }
}

/** The headers of a new session. */
export async function openSession(
  url: string,
  { version = '2025-11-25', capabilities = {}, headers = {} as Record<string, string> } = {},
): Promise<Record<string, string>> {
  const response = await post(url, toInitialize(version, capabilities), headers)
  const { result } = (await response.json()) as { result: { protocolVersion: string } }
  return {
    ...headers,
    'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': result.protocolVersion,
  }
}

export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A request of the era without sessions, with the headers that mirror it. */
export function toModern(
  id: string | number,
  method: string,
  params: Record<string, unknown> = {},
  meta = {},
) {
  const name = params.name ?? params.uri
  return {
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...ENVELOPE, ...meta } } },
    headers: {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
  }
}
