import { join } from 'node:path'
import { median, startServer } from '../child.ts'
import { TOKEN } from '../guarded-app.ts'
import { answersPerSecond } from './client.ts'

const body = JSON.stringify({ title: 'Measure it' })
const request = [
  'POST /teams/1/tasks HTTP/1.1',
  'Host: localhost',
  `Authorization: Bearer ${TOKEN}`,
  'Content-Type: application/json',
  `Content-Length: ${body.length}`,
  '',
  body,
].join('\r\n')

/** A validated, authenticated JSON route against a bare `node:http` one, in turns. */
export async function benchHttp(): Promise<string[]> {
  const servers = {
    bare: await startServer(join(import.meta.dirname, 'bare-server.ts')),
    quire: await startServer(join(import.meta.dirname, 'quire-server.ts')),
  }
  const rates = { bare: [] as number[], quire: [] as number[] }
  const cpu = { bare: [] as number[], quire: [] as number[] }
  for (let round = 0; round < 6; round += 1) {
    for (const name of ['bare', 'quire'] as const) {
      const before = await servers[name].usage()
      const seconds = 2
      const rate = await answersPerSecond(servers[name].port, request, 'HTTP/1.1 201', {
        connections: 32,
        seconds,
      })
      const after = await servers[name].usage()
      if (round === 0) continue
      rates[name].push(rate)
      cpu[name].push((after.cpuMicroseconds - before.cpuMicroseconds) / (rate * seconds))
    }
  }
  await Promise.all([servers.bare.stop(), servers.quire.stop()])
  const rate = { bare: median(rates.bare), quire: median(rates.quire) }
  return [
    `validated, authenticated JSON route   ${(rate.quire / rate.bare).toFixed(2)} of bare node:http (aim: at least 0.33)`,
    `                                      ${rate.quire.toFixed(0)} against ${rate.bare.toFixed(0)} requests/s; ${median(cpu.quire).toFixed(0)} against ${median(cpu.bare).toFixed(0)} µs of CPU each`,
  ]
}
