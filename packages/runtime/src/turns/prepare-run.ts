import type { Compaction } from '@quire/agent/compaction'
import type { Message } from '@quire/agent/message'
import type { Model } from '@quire/agent/model'
import type { Models } from '@quire/agent/models'
import { type SpentUsage, toSpent } from '@quire/agent/spent'
import type { Tool } from '@quire/agent/tool'
import { fromJson, toJson } from '@quire/kit/store/json'
import type { ModelTools, WantedTools } from '@quire/mcp/toolsets/model-tools'
import { toThread } from '@quire/mcp/toolsets/thread'
import { type AbsentToolsets, absenceNotice } from '../absent-toolsets.ts'
import type { AgentRecord } from '../agents/agent-record.ts'
import { askWhereNeeded, type NeedsPerson } from './ask-where-needed.ts'
import { messageOf, type TurnStore } from './turn-store.ts'
import type { TurnKey } from './turn-writes.ts'

export interface RunSources {
  readonly turns: TurnStore
  readonly models: Models
  readonly tools: ModelTools
  readonly compaction: Compaction
  readonly absentToolsets?: AbsentToolsets | undefined
  readonly needsPerson?: NeedsPerson | undefined
}

export interface RunInput {
  readonly key: TurnKey
  readonly agent: AgentRecord
  readonly instructions: string | undefined
  readonly extraTools: readonly Tool[]
  /** All there is of a conversation that has just begun, so that it need not be read back. */
  readonly opening: Message | undefined
}

export interface PreparedRun {
  readonly model: Model
  readonly system: string
  readonly tools: readonly Tool[]
  messages: readonly Message[]
  /** What a summary took; the caller adds it up. */
  spent?: SpentUsage
}

export async function prepareRun(
  sources: RunSources,
  input: RunInput,
  signal: AbortSignal,
): Promise<PreparedRun> {
  const { agent, extraTools, opening, key } = input
  const [model, offered, history] = await Promise.all([
    sources.models.open(agent.model),
    sources.tools.toolsOf(
      { ...wantedBy(agent), thread: toThread(['conversation', key.conversationId], agent.name) },
      signal,
    ),
    opening === undefined ? readHistory(sources.turns, input.key) : toHistory([opening], [1]),
  ])
  const tools = [...askWhereNeeded(offered, sources.needsPerson), ...extraTools]
  const notice = absenceNotice(sources.absentToolsets?.(agent) ?? [])
  const system = [agent.systemPrompt, input.instructions, notice].filter(Boolean).join('\n\n')
  const prepared: PreparedRun = { model, system, tools, messages: history.messages }
  return compactHistory(sources, input.key, prepared, history, signal)
}

/** Makes room where the model has said that the conversation is too long; undefined where that cannot be done. */
export async function makeRoom(
  { compaction }: RunSources,
  { model, system, tools }: PreparedRun,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<Pick<PreparedRun, 'messages' | 'spent'> | undefined> {
  const compacted = await compaction.compact({ model, system, tools, messages, signal, isTooLong: true })
  if (compacted === undefined) return undefined
  return {
    messages: compacted.messages,
    ...(compacted.usage !== undefined && { spent: toSpent(compacted.usage, model) }),
  }
}

interface History {
  readonly messages: readonly Message[]
  /** Of each message; of a summary that of the last one that it stands for. */
  readonly numbers: readonly number[]
}

async function readHistory({ store }: TurnStore, { conversationId }: TurnKey): Promise<History> {
  const conversation = await store.db
    .selectFrom('runtime_conversation')
    .select(['summary', 'summary_number'])
    .where('id', '=', conversationId)
    .executeTakeFirst()
  const { summary = null, summary_number = 0 } = conversation ?? {}
  const rows = await store.db
    .selectFrom('runtime_message')
    .select(['number', 'message'])
    .where('conversation_id', '=', conversationId)
    .where('number', '>', summary_number)
    .orderBy('number')
    .execute()
  const messages = rows.map(messageOf)
  const numbers = rows.map(({ number }) => number)
  if (summary === null) return toHistory(messages, numbers)
  return toHistory(
    [{ role: 'user', text: fromJson<string>(summary) }, ...messages],
    [summary_number, ...numbers],
  )
}

function toHistory(messages: readonly Message[], numbers: readonly number[]): History {
  return { messages, numbers }
}

async function compactHistory(
  { turns, compaction }: RunSources,
  key: TurnKey,
  prepared: PreparedRun,
  { messages, numbers }: History,
  signal: AbortSignal,
): Promise<PreparedRun> {
  const { model, system, tools } = prepared
  const compacted = await compaction.compact({ model, system, tools, messages, signal })
  if (compacted === undefined) return prepared
  const last = numbers[compacted.replaced - 1]
  if (compacted.summary !== undefined && last !== undefined)
    await turns.store.db
      .updateTable('runtime_conversation')
      .set({ summary: toJson(compacted.summary), summary_number: last })
      .where('id', '=', key.conversationId)
      .where('turn_id', '=', key.turnId)
      .execute()
  const spent = compacted.usage && toSpent(compacted.usage, model)
  return { ...prepared, messages: compacted.messages, ...(spent !== undefined && { spent }) }
}

function wantedBy({ id, mcpToolsets, toolApproval }: AgentRecord): WantedTools {
  return { names: mcpToolsets, who: id, needsApproval: toolApproval }
}
