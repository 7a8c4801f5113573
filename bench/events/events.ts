import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createEventLog } from '@quire/kit/event-log/event-log'
import { openStore } from '@quire/kit/store/store'
import { median } from '../child.ts'

const events = 500
const data = { task_id: 'a1b2c3', assigned_to: 'ada' }

/** A durable append to the event log against a bare insert and commit on SQLite with the same settings, in turns. */
export async function benchEvents(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-'))
  const store = await openStore(`sqlite:${join(folder, 'quire.db')}`)
  const log = await createEventLog(store, { name: 'bench' })
  const bare = openBare(join(folder, 'bare.db'))
  const rates = { bare: [] as number[], quire: [] as number[] }
  for (let round = 0; round < 6; round += 1) {
    const bareRate = await perSecond(() => bare.append())
    const rate = await perSecond(() => log.append('team-1', [{ type: 'task_assigned', data }]))
    if (round === 0) continue
    rates.bare.push(bareRate)
    rates.quire.push(rate)
  }
  bare.close()
  await store.close()
  rmSync(folder, { recursive: true })
  const rate = { bare: median(rates.bare), quire: median(rates.quire) }
  return [
    `durable append of an event, SQLite     ${rate.quire.toFixed(0)} per second; ${(rate.quire / rate.bare).toFixed(2)} of a bare insert and commit (${rate.bare.toFixed(0)})`,
  ]
}

function openBare(path: string) {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode=wal; pragma synchronous=full')
  database.exec(
    'create table event (stream text, seq integer, type text, at text, data text, primary key (stream, seq))',
  )
  const insert = database.prepare('insert into event values (?, ?, ?, ?, ?)')
  let seq = 0
  return {
    append() {
      seq += 1
      database.exec('begin immediate')
      insert.run('team-1', seq, 'task_assigned', new Date().toISOString(), JSON.stringify(data))
      database.exec('commit')
    },
    close: () => database.close(),
  }
}

async function perSecond(append: () => unknown): Promise<number> {
  const startedAt = performance.now()
  for (let count = 0; count < events; count += 1) await append()
  return events / ((performance.now() - startedAt) / 1000)
}
