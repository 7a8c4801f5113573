import { connect, type Socket } from 'node:net'
import { call, createFile, createTeam, startService, until } from './service.ts'

const READERS = 2_000
const BATCH = 100
const EVENTS = 200
const SEQ = /^id: ?(\d+)$/gm

interface Reader {
  readonly socket: Socket
  /** The number of the last event. */
  last: number
  isBroken: boolean
}

/** Many who watch one team: none may miss an event, and what each takes. */
export async function benchReaders(): Promise<string[]> {
  const database = await createFile()
  const server = await startService(database)
  const readers: Reader[] = []
  try {
    const team = await createTeam(server.port, 'instant')
    const before = await server.usage({ collected: true })
    for (let opened = 0; opened < READERS; opened += BATCH)
      readers.push(...(await Promise.all(Array.from({ length: BATCH }, () => openReader(server.port, team)))))
    const open = await server.usage({ collected: true })
    const startedAt = performance.now()
    let last = 0
    while (last < EVENTS) {
      await call(server.port, 'POST', `${team}/tasks`, { title: 'Count the words' })
      const [event] = await call(server.port, 'GET', `${team}/events?limit=1`)
      last = event.seq
    }
    await until(async () => {
      const [event] = await call(server.port, 'GET', `${team}/events?limit=1`)
      last = event.seq
      const { tasks_pending } = await call(server.port, 'GET', `${team}/metrics`)
      return tasks_pending === 0 && readers.every((reader) => reader.last === last || reader.isBroken)
    })
    const seconds = (performance.now() - startedAt) / 1_000
    const after = await server.usage()
    const missed = readers.filter((reader) => reader.isBroken || reader.last !== last).length
    const cpu = (after.cpuMicroseconds - open.cpuMicroseconds) / (READERS * (last - 2))
    return [
      `${READERS} readers of one team, ${last} events   ${missed} missed one (aim: 0); ${((READERS * (last - 2)) / seconds).toFixed(0)} events per second, ${cpu.toFixed(1)} µs of CPU each, ${((open.rssBytes - before.rssBytes) / READERS / 1024).toFixed(1)} KiB resident per reader`,
    ]
  } finally {
    for (const { socket } of readers) socket.destroy()
    await server.stop()
    await database.drop()
  }
}

/** Open once the events that were there before are here. */
function openReader(port: number, team: string): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const reader: Reader = { socket, last: 0, isBroken: false }
    socket.setEncoding('latin1')
    socket.write(`GET ${team}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`)
    let left = ''
    socket.on('error', reject).on('close', () => {
      reader.isBroken = true
    })
    socket.on('data', (text: string) => {
      const all = left + text
      const end = all.lastIndexOf('\n') + 1
      left = all.slice(end)
      for (const [, seq] of all.slice(0, end).replaceAll('\r', '').matchAll(SEQ)) {
        if (Number(seq) !== reader.last + 1) reader.isBroken = true
        reader.last = Number(seq)
      }
      if (reader.last >= 2) resolve(reader)
    })
  })
}
