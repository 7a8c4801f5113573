import type { AgentRecord } from '../../agents/agent-record.ts'

export const A2A_VERSION = '1.0'

export interface CardOptions {
  /** Where its JSON-RPC is. */
  readonly url: string
  /** Of the service. */
  readonly version: string
}

/** The card of an agent, as A2A 1.0 writes it. */
export function toAgentCard({ id, name, description }: AgentRecord, { url, version }: CardOptions) {
  const about = description || `The agent "${name}".`
  return {
    name,
    description: about,
    version,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: A2A_VERSION }],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id, name, description: about, tags: ['chat'] }],
  }
}
