import { openStore } from '../store/store.ts'
import { createEventLog } from './event-log.ts'

/** One of several processes that write one stream. Arguments: address, stream, number of events. */
const [url = '', stream = '', count = '0'] = process.argv.slice(2)
const store = await openStore(url)
const log = await createEventLog(store, { name: 'shared' })

for (let number = 1; number <= Number(count); number++) {
  const append = store.transaction(async (tx) => {
    await log.append(stream, [{ type: 'counted', data: { pid: process.pid, number } }], tx)
    if (number % 3 === 0) throw new Error('undone')
  })
  await append.catch((error: Error) => {
    if (error.message !== 'undone') throw error
  })
}
await store.close()
