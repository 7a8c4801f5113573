// The team service on the database of `QUIRE_BENCH_DATABASE`, with models that answer at once (`scripted:instant`) or never (`scripted:held`).
// Beside it `GET /held` tells how many of the latter were asked.

import { serve } from '@quire/kit/serve/serve'
import { createTeams } from '@quire/teams/create-teams'
import { createScriptedModels, HANGS } from '../../packages/teams/src/members/scripted-model.fixture.ts'
import { report } from '../child.ts'

let held = 0
const models = createScriptedModels({
  'scripted:instant': 'Done.',
  'scripted:held': () => {
    held += 1
    return HANGS
  },
})
const { app } = await createTeams(
  { database: process.env.QUIRE_BENCH_DATABASE, defaultModel: 'scripted:instant', guards: {} },
  { models },
)
const { port } = await serve({
  fetch: (request, env) =>
    new URL(request.url).pathname === '/held' ? Response.json(held) : app.fetch(request, env),
  host: '127.0.0.1',
  port: 0,
})
report(port)
