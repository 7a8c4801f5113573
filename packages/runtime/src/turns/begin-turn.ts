import { NOTHING_SPENT, type SpentUsage } from '@quire/agent/spent'
import { CallerError } from '@quire/kit/errors'
import { compileOnce } from '@quire/kit/store/compile-once'
import { fromJson, toJson } from '@quire/kit/store/json'
import type { Store, Transaction } from '@quire/kit/store/store'
import type { Kysely } from 'kysely'
import type { AgentRecord } from '../agents/agent-record.ts'
import type { RuntimeSchema } from '../conversations/tables.ts'
import { leaseEndAt, type TurnStore } from './turn-store.ts'
import { insertMessage } from './turn-writes.ts'
import type { PromptRequest } from './turns.ts'

export interface Begun {
  readonly turnId: string
  readonly conversationId: string
  /** Of the user's message. */
  readonly number: number
  /** Of the conversation before this turn. */
  readonly spent: SpentUsage
  /** Of the user's message, as it is stored. */
  readonly bytes: number
}

/** The conversation exists and cannot take a prompt now. */
export interface Refused {
  readonly turnId: string
  readonly isBusy: boolean
}

/** The conversation, where it is new, the user's message and the turn, in one commit. */
export async function beginTurn(
  turns: TurnStore,
  request: PromptRequest,
  agent: AgentRecord,
): Promise<Begun | Refused> {
  const turnId = turns.ids()
  const conversationId = request.conversationId ?? turns.ids()
  const message = toJson({ role: 'user', text: request.message })
  return turns.store.transaction(async (tx) => {
    const taken = await takeConversation(turns, tx, { ...request, conversationId, turnId })
    if ('isBusy' in taken) return taken
    const { number, spent } = taken
    await INSERT_TURN[turns.store.kind](tx.db, {
      id: turnId,
      conversation_id: conversationId,
      agent_id: agent.id,
      agent: toJson(agent),
      instructions: request.extraInstructions === undefined ? null : toJson(request.extraInstructions),
      state: 'running',
      runner: turns.runner,
      at: turns.now().getTime(),
      leaseMs: turns.leaseMs,
      cancel_requested: 0,
      first_number: number,
      partial: null,
      partial_number: 0,
      usage: toJson(NOTHING_SPENT),
      error: null,
    })
    await insertMessage(tx.db, {
      conversation_id: conversationId,
      number,
      turn_id: turnId,
      message,
      status: 'complete',
      usage: null,
      created_at: turns.now().toISOString(),
    })
    return { turnId, conversationId, number, spent, bytes: Buffer.byteLength(message) }
  })
}

type NewTurn = Omit<RuntimeSchema['runtime_turn'], 'lease_until'> & {
  readonly at: number
  readonly leaseMs: number
}

const INSERT_TURN = { sqlite: toInsertTurn('sqlite'), postgres: toInsertTurn('postgres') }

function toInsertTurn(kind: Store['kind']) {
  return compileOnce((db: Kysely<RuntimeSchema>, { at, leaseMs, ...row }: NewTurn) =>
    db.insertInto('runtime_turn').values({ ...row, lease_until: leaseEndAt(kind, at, leaseMs) }),
  )
}

const insertConversation = compileOnce(
  (db: Kysely<RuntimeSchema>, row: RuntimeSchema['runtime_conversation']) =>
    db
      .insertInto('runtime_conversation')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doNothing()),
)

type Taken = Pick<Begun, 'number' | 'spent'>
type Taking = PromptRequest & { readonly conversationId: string; readonly turnId: string }

/** Of many who want one conversation at the same time the first takes it, on whatever machine. */
async function takeConversation(
  { now }: TurnStore,
  { db }: Transaction<RuntimeSchema>,
  { conversationId, turnId, owner, agentId, message }: Taking,
): Promise<Taken | Refused> {
  const at = now()
  const inserted = await insertConversation(db, {
    id: conversationId,
    owner,
    agent_id: agentId,
    title: toTitle(message),
    created_at: at.toISOString(),
    used_at: at.getTime(),
    status: 'running',
    turn_id: turnId,
    next_number: 1,
    usage: toJson(NOTHING_SPENT),
    bytes: 0,
    summary: null,
    summary_number: 0,
  })
  if (inserted.numAffectedRows === 1n) return { number: 1, spent: NOTHING_SPENT }

  const updated = await db
    .updateTable('runtime_conversation')
    .set({ status: 'running', turn_id: turnId, used_at: at.getTime() })
    .where('id', '=', conversationId)
    .where('owner', '=', owner)
    .where('agent_id', '=', agentId)
    .where('status', 'not in', ['running', 'waiting'])
    .where('bytes', '<', MOST_BYTES)
    .returning(['next_number', 'usage'])
    .executeTakeFirst()
  if (updated !== undefined)
    return { number: updated.next_number, spent: fromJson<SpentUsage>(updated.usage) }

  const row = await db
    .selectFrom('runtime_conversation')
    .select(['owner', 'agent_id', 'turn_id', 'status', 'bytes'])
    .where('id', '=', conversationId)
    .executeTakeFirst()
  // Removed in this very moment: the next attempt makes it anew.
  if (row === undefined) return { turnId: '', isBusy: false }
  if (row.owner !== owner) throw notFound(conversationId)
  if (row.agent_id !== agentId) throw ofAnotherAgent(conversationId, row.agent_id)
  if (row.bytes >= MOST_BYTES) throw full(conversationId)
  return { turnId: row.turn_id, isBusy: row.status === 'running' || row.status === 'waiting' }
}

/** What a conversation may hold, so that one alone cannot use up the memory of whoever reads it for the model. */
const MOST_BYTES = 64 * 1024 * 1024
const TITLE_CHARACTERS = 80

function toTitle(message: string): string {
  const [line = ''] = message
    .trimStart()
    .slice(0, 1_000)
    .split(/[\r\n]/, 1)
  const characters = [...line.replaceAll(/\p{Cc}+/gu, ' ').trim()]
  return characters.slice(0, TITLE_CHARACTERS).join('').toWellFormed()
}

export function notFound(conversationId: string): CallerError {
  return new CallerError(
    'not_found',
    `There is no conversation ${JSON.stringify(conversationId)}. GET /api/v1/conversations lists yours.`,
  )
}

function ofAnotherAgent(conversationId: string, agentId: string): CallerError {
  return new CallerError(
    'conflict',
    `The conversation ${JSON.stringify(conversationId)} belongs to the agent ${JSON.stringify(agentId)}: prompt that one, or begin another conversation.`,
  )
}

function full(conversationId: string): CallerError {
  return new CallerError(
    'conflict',
    `The conversation ${JSON.stringify(conversationId)} holds ${MOST_BYTES} bytes of messages, and takes no more: begin another one, with what is still needed of this one in its first message.`,
  )
}

export function busy(conversationId: string, state: 'running' | 'waiting'): CallerError {
  const why =
    state === 'running'
      ? 'is still answering: wait for the end of its turn, join it with GET …/stream, or cancel it with POST …/cancel'
      : 'waits for a decision on a tool call: decide with POST …/approvals/{call_id}, or cancel the turn with POST …/cancel'
  return new CallerError('conflict', `The conversation ${JSON.stringify(conversationId)} ${why}.`)
}
