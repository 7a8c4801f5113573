import type { Message } from '@quire/agent/message'
import type { Decision } from '@quire/agent/run-agent'
import { NOTHING_SPENT, type SpentUsage } from '@quire/agent/spent'
import { fromJson } from '@quire/kit/store/json'
import { type Expression, type Selectable, type SqlBool, sql } from 'kysely'
import type { AgentRecord } from '../agents/agent-record.ts'
import type { RuntimeSchema, RuntimeStore } from '../conversations/tables.ts'
import type { TurnError } from './turn-error.ts'
import type { TurnMetrics } from './turn-metrics.ts'

export type TurnRow = Selectable<RuntimeSchema['runtime_turn']>
export type MessageRow = Selectable<RuntimeSchema['runtime_message']>

/** Where news of turns are announced: the id of a turn, or `cancel ` and the id. */
export const TURN_CHANNEL = 'runtime_turn'
export const CANCEL_PREFIX = 'cancel '

/** What every part of the engine writes and reads with. */
export interface TurnStore {
  readonly store: RuntimeStore
  /** Of this process, in the rows of the turns that it runs. */
  readonly runner: string
  readonly leaseMs: number
  readonly now: () => Date
  readonly ids: () => string
  readonly metrics?: TurnMetrics | undefined
}

/** This process runs the turn no more: whatever it wanted to write is undone. */
export class TurnLost extends Error {
  override readonly name = 'TurnLost'
  constructor(turnId: string) {
    super(`Turn ${turnId} belongs to this process no more.`)
  }
}

/** Somebody wants the turn cancelled: nothing more is begun for it. */
export class CancelRequested extends Error {
  override readonly name = 'CancelRequested'
  constructor(turnId: string) {
    super(`Turn ${turnId} is to be cancelled.`)
  }
}

/** Leases are compared across machines, whose clocks differ: the database's own counts where it has one. */
function leaseClock(kind: TurnStore['store']['kind'], at: number): Expression<number> {
  return kind === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`${at}`
}

export function leaseEnd({ store, now, leaseMs }: TurnStore): Expression<number> {
  return leaseEndAt(store.kind, now().getTime(), leaseMs)
}

/** Of a lease that begins now, which is `at` where the database has no clock. */
export function leaseEndAt(
  kind: TurnStore['store']['kind'],
  at: number,
  leaseMs: number,
): Expression<number> {
  return sql<number>`${leaseClock(kind, at)} + ${leaseMs}`
}

/** Nobody has renewed it in time. One that ends in the far future was written before somebody put the clock back. */
export function isLeaseOver(turns: TurnStore): Expression<SqlBool> {
  const clock = leaseClock(turns.store.kind, turns.now().getTime())
  return sql<SqlBool>`(lease_until < ${clock} or lease_until > ${clock} + ${sql.lit(10 * turns.leaseMs)})`
}

export async function findTurn({ store }: TurnStore, id: string): Promise<TurnRow | undefined> {
  return store.db.selectFrom('runtime_turn').selectAll().where('id', '=', id).executeTakeFirst()
}

export function agentOf(row: TurnRow): AgentRecord {
  return fromJson<AgentRecord>(row.agent)
}

export function usageOf(row: Pick<TurnRow, 'usage'>): SpentUsage {
  return fromJson<SpentUsage>(row.usage)
}

export function errorOf({ error }: Pick<TurnRow, 'error'>): TurnError | undefined {
  return error === null ? undefined : fromJson<TurnError>(error)
}

export function messageOf({ message }: Pick<MessageRow, 'message'>): Message {
  return fromJson<Message>(message)
}

export function decisionOf(text: string): Decision {
  return fromJson<Decision>(text)
}

export function spentOf({ usage }: Pick<MessageRow, 'usage'>): SpentUsage {
  return usage === null ? NOTHING_SPENT : fromJson<SpentUsage>(usage)
}
