/** A process of the team service, to be killed in the middle of its work. Arguments: address of the database, folder of the ledgers. */
import { CallerError } from '@quire/kit/errors'
import { createLogger } from '@quire/kit/log'
import { openStore } from '@quire/kit/store/store'
import { createEngine } from '../engine/create-engine.ts'
import { openLedger } from './ledger.fixture.ts'
import type { Answer, Request } from './process.fixture.ts'
import { createScriptedMembers, createScriptedSupervisor } from './scripted-work.fixture.ts'

const GRACE_MS = 50

const [url = '', folder = ''] = process.argv.slice(2)
const logger = createLogger({
  level: 'warn',
  pretty: false,
  destination: { write: (line) => void process.stderr.write(line) },
})
const store = await openStore(url, { logger })
const ledger = openLedger(folder)
const engine = await createEngine({
  store,
  members: createScriptedMembers(ledger),
  supervisor: createScriptedSupervisor(ledger),
  logger,
})
engine.start()

process.on('message', (request: Request) => void handle(request))
process.once('SIGTERM', () => void close())
// Whoever started it is gone.
process.once('disconnect', () => process.exit(1))
send({ kind: 'ready' })

async function handle(request: Request): Promise<void> {
  const { id } = request
  try {
    if (request.method === 'watch') return await watch(id, request.teamId, request.after)
    // Both ends are ours: the arguments are those of the method.
    const call = engine.teams[request.method] as (...args: unknown[]) => Promise<unknown>
    send({ kind: 'result', id, result: await call(...request.args) })
  } catch (error) {
    const reason = error instanceof CallerError ? error.problem.reason : 'internal'
    send({ kind: 'refused', id, reason, message: String(error) })
  }
}

async function watch(id: number, teamId: string, after: number): Promise<void> {
  const never = new AbortController().signal
  for await (const event of await engine.teams.events(teamId, { after }, never))
    send({ kind: 'event', id, event })
}

async function close(): Promise<void> {
  await engine.drain(GRACE_MS)
  await engine.close()
  await store.close()
  ledger.close()
  process.exit(0)
}

function send(answer: Answer): void {
  process.send?.(answer)
}
