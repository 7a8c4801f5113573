// Teams of agents inside an application of Hono, at /api/teams. To run it: node examples/teams-in-hono.ts 3000
import { serve } from '@hono/node-server'
import { createTeams } from '@quire/teams/create-teams'
import { Hono } from 'hono'

// In memory; { database: 'sqlite:teams.db' } keeps them. Guards, since this application itself looks at neither Host nor Origin.
const teams = await createTeams({ guards: {} })

const app = new Hono()
app.get('/', (c) => c.text('The application itself'))
app.mount('/api/teams', teams.app.fetch)

const port = Number(process.argv[2] ?? 3000)
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) => {
  console.log(`http://127.0.0.1:${address.port}/api/teams/docs`)
})

async function stop(): Promise<void> {
  await teams.drain()
  server.close()
  await teams.close()
}
process.once('SIGINT', stop).once('SIGTERM', stop)
