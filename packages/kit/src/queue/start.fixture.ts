import { once } from 'node:events'
import { openStore, type Store } from '../store/store.ts'
import { createQueue } from './queue.ts'
// Loaded before the start, so that nothing keeps the processes apart.
import './pg-boss-queue.ts'

/** One of several processes that start at once. Argument: address. Says when its own tables are there, then waits for a word. */
const store = await openStore(process.argv[2] ?? '')
// A connection that has been at work knows the catalogue, and does not learn of another's schema in time.
await store.migrate('starter', {
  '001_table': {
    up: async (db: Store['db']) => db.schema.createTable('starter').addColumn('id', 'integer').execute(),
  },
})
process.stdout.write('open\n')
await once(process.stdin, 'data')
const queue = await createQueue(store, { queues: ['tasks', 'mail'] })
await queue.enqueue({ queue: 'tasks', payload: {} })
await queue.close()
await store.close()
process.stdin.destroy()
