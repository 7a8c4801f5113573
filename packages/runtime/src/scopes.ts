/** What a key may be allowed: to look at agents and conversations, to change agents, to talk to them. */
export const SCOPES = ['agents:read', 'agents:write', 'agents:prompt'] as const
