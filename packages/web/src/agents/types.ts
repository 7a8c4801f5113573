import type { AgentList as AgentListSchema } from '@quire/runtime/contract'
import type {
  Configuration as ConfigurationSchema,
  ToolsetsInfo as ToolsetsInfoSchema,
} from '@quire/runtime/contract/configuration'
import type {
  ConversationList as ConversationListSchema,
  StreamFrame as StreamFrameSchema,
} from '@quire/runtime/contract/conversations'

/** What a schema of the contract says, where it has no type of its own name. */
type Said<Schema extends { parse(value: unknown): unknown }> = ReturnType<Schema['parse']>

export type AgentList = Said<typeof AgentListSchema>
export type Configuration = Said<typeof ConfigurationSchema>
export type ConversationList = Said<typeof ConversationListSchema>
export type Frame = Said<typeof StreamFrameSchema>
export type ToolsetsInfo = Said<typeof ToolsetsInfoSchema>
