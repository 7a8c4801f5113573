import type { AgentSummary } from '../../agents/agent-record.ts'

export const A2A_VERSION = '1.0'

export interface CardOptions {
  /** Where its JSON-RPC is. */
  readonly url: string
  /** Of the service. */
  readonly version: string
  /** Nobody is asked for a key. */
  readonly isOpen: boolean
}

const BEARER = Object.freeze({
  securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
})

/** The card of an agent, as A2A 1.0 writes it. */
export function toAgentCard({ id, name, description }: AgentSummary, { url, version, isOpen }: CardOptions) {
  const about = description || `The agent "${name}".`
  const card = {
    name,
    description: about,
    version,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: A2A_VERSION }],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id, name, description: about, tags: ['chat'] }],
  }
  return isOpen ? card : { ...card, ...BEARER }
}
