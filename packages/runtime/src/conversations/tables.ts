import { fromJson, toJson } from '@quire/kit/store/json'
import type { AnyStore, Store } from '@quire/kit/store/store'
import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { TurnStatus } from '../turns/turns.ts'
import type { ConversationStatus, MessageStatus } from './conversation.ts'

/** Texts that are written by `toJson` are named after what they hold. */
export type RuntimeSchema = {
  runtime_agent: {
    id: string
    number: number
    /** Without the system prompt. */
    definition: string
    /** Apart, since lists show it nowhere and it may be long. */
    system_prompt: string
    created_at: string
    updated_at: string
  }
  runtime_conversation: {
    id: string
    owner: string
    agent_id: string
    title: string
    created_at: string
    used_at: number
    status: ConversationStatus
    /** The last one. */
    turn_id: string
    /** Of the next message, while no turn is under way. */
    next_number: number
    /** Up to that message. */
    usage: string
    /** Of the messages before that one, as they are stored. */
    bytes: number
    /** What the model is given in place of all messages up to this number. */
    summary: string | null
    summary_number: number
  }
  /** The journal: dense numbers from 1, in the order of their commits. */
  runtime_message: {
    conversation_id: string
    number: number
    turn_id: string
    message: string
    status: MessageStatus
    usage: string | null
    created_at: string
  }
  runtime_turn: {
    id: string
    conversation_id: string
    agent_id: string
    /** As it was when the turn began. */
    agent: string
    instructions: string | null
    state: TurnStatus
    /** The process that runs it. */
    runner: string | null
    lease_until: number
    cancel_requested: number
    /** Of the user's message. */
    first_number: number
    /** What there is of the message that will have this number, as JSON: text of models may hold what no column takes. */
    partial: string | null
    partial_number: number
    usage: string
    error: string | null
  }
  /** The calls that a turn stopped for after a message, in order. */
  runtime_approval: {
    turn_id: string
    after_number: number
    ordinal: number
    call: string
    /** Tells one definition of the tool from another. Null: it was asked for before this was kept. */
    tool: string | null
    decision: string | null
  }
}

export type RuntimeStore = Store<RuntimeSchema>

/** To be called once, before anything else of the service touches the store. */
export async function migrateTables(store: AnyStore): Promise<void> {
  await store.migrate('runtime', { '001_tables': createTables(store.kind), '002_bounds': addBounds() })
}

function createTables(kind: Store['kind']): Migration {
  // In the order of the key, instead of once by number and once by key.
  const clustered = <Table extends CreateTableBuilder<string, string>>(table: Table) =>
    kind === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('runtime_agent')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('number', 'bigint', (column) => column.notNull())
        .addColumn('definition', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('runtime_conversation')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('agent_id', 'text', (column) => column.notNull())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('used_at', 'bigint', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('turn_id', 'text', (column) => column.notNull())
        .addColumn('next_number', 'bigint', (column) => column.notNull())
        .addColumn('usage', 'text', (column) => column.notNull())
        .addColumn('summary', 'text')
        .addColumn('summary_number', 'bigint', (column) => column.notNull())
        .$call(clustered)
        .execute()
      await db.schema
        .createTable('runtime_message')
        .addColumn('conversation_id', 'text', (column) => column.notNull())
        .addColumn('number', 'bigint', (column) => column.notNull())
        .addColumn('turn_id', 'text', (column) => column.notNull())
        .addColumn('message', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('usage', 'text')
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('runtime_message_key', ['conversation_id', 'number'])
        .$call(clustered)
        .execute()
      await db.schema
        .createTable('runtime_turn')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('conversation_id', 'text', (column) => column.notNull())
        .addColumn('agent_id', 'text', (column) => column.notNull())
        .addColumn('agent', 'text', (column) => column.notNull())
        .addColumn('instructions', 'text')
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('runner', 'text')
        .addColumn('lease_until', 'bigint', (column) => column.notNull())
        .addColumn('cancel_requested', 'integer', (column) => column.notNull())
        .addColumn('first_number', 'bigint', (column) => column.notNull())
        .addColumn('partial', 'text')
        .addColumn('partial_number', 'bigint', (column) => column.notNull())
        .addColumn('usage', 'text', (column) => column.notNull())
        .addColumn('error', 'text')
        .$call(clustered)
        .execute()
      await db.schema
        .createTable('runtime_approval')
        .addColumn('turn_id', 'text', (column) => column.notNull())
        .addColumn('after_number', 'bigint', (column) => column.notNull())
        .addColumn('ordinal', 'integer', (column) => column.notNull())
        .addColumn('call', 'text', (column) => column.notNull())
        .addColumn('decision', 'text')
        .addPrimaryKeyConstraint('runtime_approval_key', ['turn_id', 'after_number', 'ordinal'])
        .$call(clustered)
        .execute()
      for (const [name, on] of INDEXES) await sql`create index ${sql.ref(name)} on ${sql.raw(on)}`.execute(db)
    },
  }
}

/** What bounds need: sums that nobody has to read all messages for, and lists that leave long texts where they are. */
function addBounds(): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await sql`alter table runtime_conversation add column bytes bigint not null default 0`.execute(db)
      await sql`
        update runtime_conversation set bytes = coalesce((
          select sum(octet_length(message)) from runtime_message
          where conversation_id = runtime_conversation.id and runtime_message.number < runtime_conversation.next_number
        ), 0)`.execute(db)
      await sql`alter table runtime_approval add column tool text`.execute(db)
      await sql`alter table runtime_agent add column system_prompt text not null default '""'`.execute(db)
      await moveSystemPrompts(db)
    },
  }
}

async function moveSystemPrompts(db: Kysely<unknown>): Promise<void> {
  const agents = await sql<{ id: string }>`select id from runtime_agent`.execute(db)
  for (const { id } of agents.rows) {
    const found = await sql<{
      definition: string
    }>`select definition from runtime_agent where id = ${id}`.execute(db)
    const { systemPrompt = '', ...rest } = fromJson<{ systemPrompt?: string }>(
      found.rows[0]?.definition ?? '{}',
    )
    await sql`
      update runtime_agent set definition = ${toJson(rest)}, system_prompt = ${toJson(systemPrompt)}
      where id = ${id}`.execute(db)
  }
}

const INDEXES = [
  ['runtime_conversation_of_owner', 'runtime_conversation (owner, used_at, id)'],
  ['runtime_conversation_of_agent', 'runtime_conversation (owner, agent_id, used_at, id)'],
  ['runtime_turn_of_conversation', 'runtime_turn (conversation_id)'],
  ['runtime_turn_running', "runtime_turn (lease_until) where state = 'running'"],
  ['runtime_turn_waiting', "runtime_turn (agent_id) where state = 'waiting'"],
] as const
