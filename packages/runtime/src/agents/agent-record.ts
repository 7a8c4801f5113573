export const TRANSPORTS = ['streaming', 'ag-ui', 'vercel-ai', 'a2a'] as const

export type AgentTransport = (typeof TRANSPORTS)[number]

/** An agent as it is stored. Agents are everybody's; conversations are their owner's. */
export interface AgentRecord {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly transport: AgentTransport
  /** `provider:name`. */
  readonly model: string
  readonly systemPrompt: string
  /** Names of toolsets; each gives all of its tools. */
  readonly mcpToolsets: readonly string[]
  /** How often the model is asked at the most in one turn. */
  readonly maxSteps: number
  /** A person decides before each call of a tool. */
  readonly toolApproval: boolean
  /** ISO 8601 with Z. */
  readonly createdAt: string
  readonly updatedAt: string
}

/** An agent in a list. */
export type AgentSummary = Omit<AgentRecord, 'systemPrompt'>

export type AgentPatch = Partial<Omit<AgentRecord, 'id' | 'createdAt' | 'updatedAt'>>

export interface AgentStore {
  /** In the order of their creation. */
  list(): Promise<readonly AgentSummary[]>
  find(id: string): Promise<AgentRecord | undefined>
  /** Throws a `CallerError` (409) where the id is taken. */
  insert(agent: Omit<AgentRecord, 'createdAt' | 'updatedAt'>): Promise<AgentRecord>
  /** Undefined where there is none. */
  update(id: string, patch: AgentPatch): Promise<AgentRecord | undefined>
  remove(id: string): Promise<boolean>
}
