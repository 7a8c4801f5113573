import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Era } from '@quire/mcp/connection/era'
import { createCalls } from '../calls/create-calls.ts'
import { createComposedCatalog } from '../catalog/create-composed-catalog.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import type { HttpFront } from '../front/front-options.ts'
import { createHttpFront } from '../front/http-front.ts'
import { openLink } from '../link/open-link.ts'
import type { ServerDefinition } from '../server-definition.ts'
import { createSupervisor } from '../supervisor/create-supervisor.ts'
import type { Supervisor, SupervisorEvent } from '../supervisor/supervisor.ts'
import { createGateway } from './create-gateway.ts'
import { driveGateway } from './drive-gateway.ts'
import { everything } from './parts.fixture.ts'

const ENVIRONMENT = Object.freeze({ PATH: '/usr/bin:/bin', HOME: '/nowhere', SECRET: 'ours alone' })
const TOOLS = Object.freeze({
  strategy: 'prefix',
  overrides: [],
  template: '',
  aliases: {},
  versioning: { enabled: false, allowMultiple: false, suffix: '' },
  mode: 'full',
} as const)

export function superviseLive(onEvent: (event: SupervisorEvent) => void): Supervisor {
  return createSupervisor({
    openLink,
    logger: createSilentLogger(),
    environment: ENVIRONMENT,
    clientInfo: { name: 'quire-test', version: '1' },
    onEvent,
  })
}

/** Real servers behind a gateway and an HTTP front, as the composer puts them together. */
export async function startLive(
  definitions: readonly ServerDefinition[],
  aliases: Record<string, string> = {},
) {
  const logger = createSilentLogger()
  const events: SupervisorEvent[] = []
  const catalog = createComposedCatalog()
  const calls = createCalls()
  const supervisor = superviseLive((event) => {
    events.push(event)
    const server = supervisor.find(event.server)
    if (event.type === 'state' || event.type === 'catalog')
      catalog.update(event.server, server?.catalog(), server?.link()?.info().serverInfo.version)
    driveGateway(gateway, event)
  })
  const settings = () => ({ name: 'quire', version: '1', mode: 'full' }) as const
  const gateway = createGateway({ catalog, supervisor, calls, settings, viewOf: () => everything, logger })
  const front = createHttpFront(gateway, { logger })
  catalog.configure({ ...TOOLS, aliases }, definitions)
  await supervisor.apply(definitions)
  const deadline = AbortSignal.timeout(30_000)
  await Promise.all(supervisor.servers().map((server) => server.use(deadline)))
  return {
    gateway,
    supervisor,
    catalog,
    front,
    events,
    async close(): Promise<void> {
      await front.close()
      gateway.close()
      await supervisor.close()
    },
  }
}

/** An official client of either era, which answers whatever it is asked. */
export async function connect(front: HttpFront, era: Era): Promise<Client> {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy'
  const client = new Client(
    { name: 'official', version: '1' },
    {
      capabilities: { elicitation: {}, sampling: {}, roots: { listChanged: true } },
      versionNegotiation: { mode },
    },
  )
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { colour: 'red' } }))
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'roses' },
  }))
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///home' }] }))
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: (url, init) => front.fetch(new Request(url, init)),
  })
  await client.connect(transport)
  return client
}
