// Teams of agents inside a bare http server, at /api/teams. To run it: node examples/teams-in-http.ts 3000
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTeams } from '@quire/teams/create-teams'
import { createNodeHandler } from '@quire/teams/node-handler'

// In memory; { database: 'sqlite:teams.db' } keeps them. Guards, since this application itself looks at neither Host nor Origin.
const teams = await createTeams({ guards: {} })
const handleTeams = createNodeHandler(teams.app.fetch, { prefix: '/api/teams' })

const server = createServer((request, response) => {
  handleTeams(request, response, () => response.end('The application itself'))
})
server.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`http://127.0.0.1:${port}/api/teams/docs`)
})

async function stop(): Promise<void> {
  await teams.drain()
  server.close()
  await teams.close()
}
process.once('SIGINT', stop).once('SIGTERM', stop)
