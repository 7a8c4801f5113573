import type { Team } from '../team.ts'

export const A2A_VERSION = '1.0'

export interface CardOptions {
  /** Where its JSON-RPC is. */
  readonly url: string
  /** Of the service. */
  readonly version: string
  /** Nobody is asked for a key. */
  readonly isOpen: boolean
}

const MOST_NAMES = 10
const BEARER: Readonly<Record<string, object>> = Object.freeze({
  bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
})

/** A team as A2A 1.0 shows an agent. What its members are told stays with them. */
export function toAgentCard(team: Team, { url, version, isOpen }: CardOptions) {
  const description = team.description || `A team of ${namesOf(team)}.`
  return {
    name: team.name,
    description,
    version,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: A2A_VERSION }],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: isOpen ? {} : BEARER,
    securityRequirements: isOpen ? [] : [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'task', name: team.name, description, tags: ['team', team.executionMode] }],
  }
}

function namesOf({ members }: Team): string {
  const names = members.slice(0, MOST_NAMES).map(({ name }) => name)
  const more = members.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
