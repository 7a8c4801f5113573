// Teams of agents inside an application of Express, at /api/teams. To run it: node examples/teams-in-express.ts 3000
import type { AddressInfo } from 'node:net'
import { createTeams } from '@quire/teams/create-teams'
import { createNodeHandler } from '@quire/teams/node-handler'
import express from 'express'

// In memory; { database: 'sqlite:teams.db' } keeps them. Guards, since this application itself looks at neither Host nor Origin.
const teams = await createTeams({ guards: {} })

const app = express()
app.use(express.json())
app.get('/', (_request, response) => void response.send('The application itself'))
app.use('/api/teams', createNodeHandler(teams.app.fetch))

const server = app.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`http://127.0.0.1:${port}/api/teams/docs`)
})

async function stop(): Promise<void> {
  await teams.drain()
  server.close()
  await teams.close()
}
process.once('SIGINT', stop).once('SIGTERM', stop)
