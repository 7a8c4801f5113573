import { randomUUID } from 'node:crypto'
import { createEventLog } from '@quire/kit/event-log/event-log'
import { openStore, type Store } from '@quire/kit/store/store'

type FloorSchema = {
  floor_team: { total: number; done: number }
  floor_task: { id: string; status: string; text: string }
  floor_job: { id: string; state: string; payload: string }
  floor_step: { id: string; number: number; message: string }
}

const TEXT = 'x'.repeat(200)

/** What one task leaves behind, written by the store and the event log alone: its row, its job, its step and its four events, in three commits. */
export async function openFloor(url: string) {
  const store = await openStore<FloorSchema>(url)
  const log = await createEventLog(store, { name: 'floor' })
  await createTables(store)

  async function writeTask(): Promise<void> {
    const id = randomUUID()
    const data = { task_id: id, member: 'a' }
    await store.transaction(async (tx) => {
      const { db } = tx
      await db.insertInto('floor_task').values({ id, status: 'assigned', text: TEXT }).execute()
      await db.insertInto('floor_job').values({ id, state: 'waiting', payload: TEXT }).execute()
      await db
        .updateTable('floor_team')
        .set((row) => ({ total: row('total', '+', 1) }))
        .execute()
      await log.append(
        'team',
        [
          { type: 'task_created', data },
          { type: 'task_assigned', data },
        ],
        tx,
      )
    })
    await store.transaction(async (tx) => {
      const { db } = tx
      await db.updateTable('floor_task').set({ status: 'in_progress' }).where('id', '=', id).execute()
      await db.updateTable('floor_job').set({ state: 'running' }).where('id', '=', id).execute()
      await log.append('team', [{ type: 'task_started', data }], tx)
    })
    await store.transaction(async (tx) => {
      const { db } = tx
      await db.insertInto('floor_step').values({ id, number: 1, message: TEXT }).execute()
      await db.updateTable('floor_task').set({ status: 'completed' }).where('id', '=', id).execute()
      await db.updateTable('floor_job').set({ state: 'completed' }).where('id', '=', id).execute()
      await db
        .updateTable('floor_team')
        .set((row) => ({ done: row('done', '+', 1) }))
        .execute()
      await log.append('team', [{ type: 'task_completed', data }], tx)
    })
  }

  return { writeTask, close: () => store.close() }
}

async function createTables(store: Store<FloorSchema>): Promise<void> {
  await store.migrate('floor', {
    '001_tables': {
      async up({ schema }) {
        await schema
          .createTable('floor_team')
          .addColumn('total', 'integer')
          .addColumn('done', 'integer')
          .execute()
        for (const [table, column, text] of [
          ['floor_task', 'status', 'text'],
          ['floor_job', 'state', 'payload'],
        ] as const)
          await schema
            .createTable(table)
            .addColumn('id', 'text', (id) => id.primaryKey())
            .addColumn(column, 'text')
            .addColumn(text, 'text')
            .execute()
        await schema
          .createTable('floor_step')
          .addColumn('id', 'text')
          .addColumn('number', 'integer')
          .addColumn('message', 'text')
          .addPrimaryKeyConstraint('floor_step_key', ['id', 'number'])
          .execute()
      },
    },
  })
  await store.db.insertInto('floor_team').values({ total: 0, done: 0 }).execute()
}
