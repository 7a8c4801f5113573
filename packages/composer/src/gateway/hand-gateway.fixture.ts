import type { Era } from '@quire/mcp/connection/era'
import type { AuditEntry } from '../audit/audit.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createGateway, type GatewayOptions } from './create-gateway.ts'
import type { DrivenGateway } from './driven-gateway.ts'
import {
  type Answer,
  createHandCatalog,
  createHandServers,
  everything,
  promptEntry,
  toolEntry,
} from './parts.fixture.ts'

export interface HandGatewayOptions extends Partial<GatewayOptions> {
  readonly answer?: Answer
  readonly era?: Era
}

/** Gateways over two servers made by hand, `weather` and `notes`, which answer with what they were asked unless they are told otherwise. */
export function createHandGateways() {
  const open: DrivenGateway[] = []

  function start({
    answer = ({ method, params }) => ({ method, params }),
    era = 'legacy',
    ...options
  }: HandGatewayOptions = {}) {
    const { lists, catalog } = createHandCatalog()
    const servers = createHandServers(['weather', 'notes'], era, answer)
    lists.tools.push(
      toolEntry('weather', {
        name: 'forecast',
        description: 'Tells the weather of tomorrow',
        title: 'Forecast',
      }),
      toolEntry('notes', { name: 'write', _meta: { 'x/y': 1 } }),
    )
    lists.prompts.push(promptEntry('notes', 'summarise'))
    lists.resources.push({ server: 'notes', item: { uri: 'note://1', name: 'one' } })
    lists.templates.push({ server: 'notes', item: { uriTemplate: 'note://{id}', name: 'any' } })
    const records: AuditEntry[] = []
    const gateway = createGateway({
      catalog,
      ...servers,
      settings: () => ({ name: 'quire', version: '1.2.3', mode: 'full' }),
      viewOf: () => everything,
      logger: createSilentLogger(),
      onCall: (entry) => records.push(entry),
      ...options,
    })
    open.push(gateway)
    return { gateway, lists, records, ...servers }
  }

  function close(): void {
    for (const gateway of open.splice(0)) gateway.close()
  }

  return { start, close }
}
