// What Quire costs, as ratios to a floor that is measured in the same run, in turns. `npm run bench [http|start|sse|events|notebook|embedded|composer|runtime|teams|web]`.
import { benchComposer } from './composer/composer.ts'
import { benchEmbedded } from './embedded/embedded.ts'
import { benchEvents } from './events/events.ts'
import { benchHttp } from './http/http.ts'
import { benchNotebook } from './notebook/notebook.ts'
import { benchRuntime } from './runtime/runtime.ts'
import { benchSse } from './sse/sse.ts'
import { benchStart } from './start/start.ts'
import { benchTeams } from './teams/teams.ts'
import { benchWeb } from './web/web.ts'

const benches = {
  http: benchHttp,
  start: benchStart,
  sse: benchSse,
  events: benchEvents,
  notebook: benchNotebook,
  embedded: benchEmbedded,
  composer: () => benchComposer(),
  runtime: benchRuntime,
  teams: benchTeams,
  web: benchWeb,
}

const wanted = process.argv.slice(2)
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  for (const line of await bench()) console.log(line)
}
