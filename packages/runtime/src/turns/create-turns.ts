import { randomUUID } from 'node:crypto'
import { type Compaction, createCompaction } from '@quire/agent/compaction'
import type { Models } from '@quire/agent/models'
import { NOTHING_SPENT } from '@quire/agent/spent'
import type { Tool } from '@quire/agent/tool'
import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import { fromJson } from '@quire/kit/store/json'
import { createRowId } from '@quire/kit/store/row-id'
import type { AnyStore } from '@quire/kit/store/store'
import type { ModelTools } from '@quire/mcp/toolsets/model-tools'
import { sql } from 'kysely'
import type { AbsentToolsets } from '../absent-toolsets.ts'
import type { AgentRecord, AgentStore } from '../agents/agent-record.ts'
import type { RuntimeSchema } from '../conversations/tables.ts'
import { createLimitAtOnce } from '../limit-at-once.ts'
import type { NeedsPerson } from './ask-where-needed.ts'
import { beginTurn, busy, notFound } from './begin-turn.ts'
import { cancelTurn } from './cancel-turn.ts'
import { type Decided, decideTurn } from './decide-turn.ts'
import { awaitTurn, type Following, followTurn } from './follow-turn.ts'
import type { LiveTurn } from './live-turn.ts'
import { readAllItems, startOf } from './turn-items.ts'
import type { TurnMetrics } from './turn-metrics.ts'
import { createTurnRuns } from './turn-runs.ts'
import { agentOf, findTurn, type TurnStore, usageOf } from './turn-store.ts'
import type { TurnKey } from './turn-writes.ts'
import type { DecisionRequest, PromptRequest, Turn, Turns } from './turns.ts'

const LEASE_MS = 6_000
const GRACE_MS = 10_000
const ATTEMPTS = 3
const MOST = 4_096
const MOST_PER_OWNER = 1_024

export interface TurnsOptions {
  readonly store: AnyStore
  readonly agents: Pick<AgentStore, 'find'>
  readonly tools: ModelTools
  readonly models: Models
  readonly logger?: Pick<Logger, 'warn' | 'error'>
  readonly compaction?: Compaction
  readonly metrics?: TurnMetrics
  readonly absentToolsets?: AbsentToolsets
  readonly needsPerson?: NeedsPerson | undefined
  readonly now?: () => Date
  readonly ids?: () => string
  /** How long a turn stays its process's when that is not heard of. */
  readonly leaseMs?: number
  /** How many may run here at once, of all and of one owner. */
  readonly most?: number
  readonly mostPerOwner?: number
}

export interface TurnEngine extends Turns {
  /** Settles the turns whose process is gone, of all conversations. */
  interruptExpired(): Promise<void>
  /** Ids of turns whose process is gone and that nobody has settled yet, of all or of this one alone. */
  findAbandoned(turnId?: string): Promise<readonly string[]>
}

/** The tables are there: `migrateTables` was called. */
export function createTurns(options: TurnsOptions): TurnEngine {
  const { agents, tools, models, logger, compaction = createCompaction() } = options
  const { now = () => new Date(), ids = createRowId, leaseMs = LEASE_MS } = options
  const store = options.store.as<RuntimeSchema>()
  const turns: TurnStore = { store, runner: randomUUID(), leaseMs, now, ids, metrics: options.metrics }
  const { most = MOST, mostPerOwner = MOST_PER_OWNER } = options
  const atOnce = createLimitAtOnce({ most, mostPerOwner, what: 'turns' })
  const runs = createTurnRuns({
    turns,
    models,
    tools,
    compaction,
    logger,
    absentToolsets: options.absentToolsets,
    needsPerson: options.needsPerson,
  })

  function toTurn(key: TurnKey, agent: AgentRecord, live?: LiveTurn): Turn {
    const following: Following = {
      turns,
      news: runs.news,
      key,
      live() {
        const current = runs.find(key.turnId)?.live ?? live
        return current?.isReadable() ? current : undefined
      },
    }
    return Object.freeze({
      id: key.turnId,
      conversationId: key.conversationId,
      agent,
      frames: (frameOptions) => followTurn(following, frameOptions),
      result: () => awaitTurn(following),
      async cancel() {
        await cancelTurn(turns, runs, key)
      },
    } satisfies Turn)
  }

  async function prompt(request: PromptRequest): Promise<Turn> {
    refuseWhenClosing()
    return withRoom(request.owner, (leave) => begin(request, leave))
  }

  /** The room is the turn's own from `runs.start` on; before that it is given back with any failure. */
  async function withRoom<T>(owner: string, act: (leave: () => void) => Promise<T>): Promise<T> {
    const leave = atOnce.take(owner)
    try {
      return await act(leave)
    } catch (error) {
      leave()
      throw error
    }
  }

  async function begin(request: PromptRequest, leave: () => void): Promise<Turn> {
    const agent = await agents.find(request.agentId)
    if (agent === undefined) throw unknownAgent(request.agentId)
    for (let attempt = 1; ; attempt++) {
      const begun = await beginTurn(turns, request, agent)
      if ('number' in begun) {
        const { turnId, conversationId, number, spent, bytes } = begun
        const { live, settled } = runs.start({
          key: { turnId, conversationId },
          agent,
          instructions: request.extraInstructions,
          extraTools: request.extraTools ?? [],
          opening: number === 1 ? { role: 'user', text: request.message } : undefined,
          items: [],
          number: number + 1,
          conversationSpent: spent,
          turnSpent: NOTHING_SPENT,
          turnBytes: bytes,
          uncountedBytes: bytes,
        })
        void settled.then(leave)
        return toTurn({ turnId, conversationId }, agent, live)
      }
      const isFree = !begun.isBusy || (await runs.interrupt(begun.turnId))
      if (isFree && attempt < ATTEMPTS) continue
      const turn = await findTurn(turns, begun.turnId)
      throw busy(request.conversationId ?? '', turn?.state === 'waiting' ? 'waiting' : 'running')
    }
  }

  async function lastTurnOf(owner: string, conversationId: string): Promise<string> {
    const row = await store.db
      .selectFrom('runtime_conversation')
      .select('turn_id')
      .where('id', '=', conversationId)
      .where('owner', '=', owner)
      .executeTakeFirst()
    if (row === undefined) throw notFound(conversationId)
    return row.turn_id
  }

  async function join(owner: string, conversationId: string): Promise<Turn | undefined> {
    return read({ turnId: await lastTurnOf(owner, conversationId), conversationId })
  }

  async function find(owner: string, conversationId: string, turnId: string): Promise<Turn | undefined> {
    await lastTurnOf(owner, conversationId)
    return read({ turnId, conversationId })
  }

  async function read(key: TurnKey): Promise<Turn | undefined> {
    const row = await findTurn(turns, key.turnId)
    if (row?.conversation_id !== key.conversationId) return undefined
    return toTurn(key, agentOf(row), runs.find(key.turnId)?.live)
  }

  async function decide(request: DecisionRequest): Promise<Turn | undefined> {
    refuseWhenClosing()
    return withRoom(request.owner, async (leave) => {
      const decided = await decideTurn(turns, request)
      if (decided === undefined) leave()
      return decided && resume(decided, request.extraTools ?? [], leave)
    })
  }

  async function resume(
    { turn, decisions, definitions, conversationSpent, number }: Decided,
    extraTools: readonly Tool[],
    leave: () => void,
  ) {
    const key = { turnId: turn.id, conversationId: turn.conversation_id }
    const agent = agentOf(turn)
    const items = await readAllItems(turns, key, startOf(turn))
    const { live, settled } = runs.start({
      key,
      agent,
      instructions: turn.instructions === null ? undefined : fromJson<string>(turn.instructions),
      extraTools,
      opening: undefined,
      items,
      decisions,
      definitions,
      number,
      conversationSpent,
      turnSpent: usageOf(turn),
      turnBytes: Buffer.byteLength(JSON.stringify(items)),
      uncountedBytes: 0,
    })
    void settled.then(leave)
    return toTurn(key, agent, live)
  }

  async function cancelOf(agentId: string): Promise<void> {
    // Written out, so that the indexes of the few that are under way are of use.
    const queries = (['running', 'waiting'] as const).map((state) =>
      store.db
        .selectFrom('runtime_turn')
        .select(['id', 'conversation_id'])
        .where('state', '=', sql.lit(state))
        .where('agent_id', '=', agentId)
        .execute(),
    )
    const rows = (await Promise.all(queries)).flat()
    await Promise.all(
      rows.map((row) => cancelTurn(turns, runs, { turnId: row.id, conversationId: row.conversation_id })),
    )
  }

  function refuseWhenClosing(): void {
    if (runs.isClosing())
      throw new CallerError(
        'unavailable',
        'This process is shutting down and takes no more prompts: try again.',
        {
          headers: { 'Retry-After': '1' },
        },
      )
  }

  return Object.freeze({
    prompt,
    join,
    find,
    async cancel(owner, conversationId) {
      const turnId = await lastTurnOf(owner, conversationId)
      return cancelTurn(turns, runs, { turnId, conversationId })
    },
    decide,
    cancelOf,
    interruptExpired: runs.interruptAll,
    findAbandoned: async (turnId) => (await runs.findAbandoned(turnId)).map((key) => key.turnId),
    close: (graceMs = GRACE_MS) => runs.close(graceMs),
  } satisfies TurnEngine)
}

function unknownAgent(agentId: string): CallerError {
  return new CallerError(
    'not_found',
    `There is no agent ${JSON.stringify(agentId)}. GET /api/v1/agents lists them.`,
  )
}
