// Teams of agents inside an application of Fastify, at /api/teams. To run it: node examples/teams-in-fastify.ts 3000
import { createTeams } from '@quire/teams/create-teams'
import { createNodeHandler } from '@quire/teams/node-handler'
import fastify from 'fastify'

// In memory; { database: 'sqlite:teams.db' } keeps them. Guards, since this application itself looks at neither Host nor Origin.
const teams = await createTeams({ guards: {} })

const app = fastify()
app.get('/', () => 'The application itself')
app.all('/api/teams/*', createNodeHandler(teams.app.fetch, { prefix: '/api/teams' }))
app.addHook('preClose', () => teams.drain())
app.addHook('onClose', () => teams.close())

const address = await app.listen({ port: Number(process.argv[2] ?? 3000), host: '127.0.0.1' })
console.log(`${address}/api/teams/docs`)

const stop = () => app.close()
process.once('SIGINT', stop).once('SIGTERM', stop)
