// Kills processes of the team service at random moments and looks whether what it promises holds. `npm run faults [-- --kills 100 --seed N --database sqlite|postgres|both]`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '@quire/testbed/postgres'
import { playEpisode, RECOVERY_MS } from '../packages/teams/src/faults/episode.fixture.ts'
import { makePlan } from '../packages/teams/src/faults/plan.fixture.ts'

const KILLS_AN_EPISODE = 5
const SEEDS = 1_000_000

type Kind = keyof typeof RECOVERY_MS

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * SEEDS)) },
    database: { type: 'string', default: 'both' },
  },
})
const kills = toCount('--kills', values.kills)
const seed = toCount('--seed', values.seed)
const kinds = toKinds(values.database)

console.log(`seed ${seed}: ${kills} kills on ${kinds.join(' and ')}`)
const cluster = kinds.includes('postgres') ? await startPostgres() : undefined
try {
  process.exitCode = (await play()) ? 0 : 1
} finally {
  await cluster?.stop()
}

async function play(): Promise<boolean> {
  const longest: Record<Kind, number> = { sqlite: 0, postgres: 0 }
  for (let episode = 0, left = kills; left > 0; episode += 1, left -= KILLS_AN_EPISODE) {
    const kind = kinds[episode % kinds.length] ?? 'sqlite'
    const own = Math.min(KILLS_AN_EPISODE, left)
    const { broken, summary, recoveryMs, log } = await withDatabase(kind, episode, (url) =>
      playEpisode(makePlan(seed + episode, own), url),
    )
    longest[kind] = Math.max(longest[kind], recoveryMs)
    console.log(
      `${kind}, seed ${seed + episode}: ${summary}; gone on with after ${recoveryMs} ms at the longest`,
    )
    if (broken === undefined) continue
    console.log(`FAIL: ${broken}`)
    console.log(`Again: npm run faults -- --seed ${seed + episode} --kills ${own} --database ${kind}`)
    console.log(`What the processes logged last:\n${log}`)
    return false
  }
  for (const kind of kinds)
    console.log(`longest recovery on ${kind}: ${longest[kind]} ms (aim: ${RECOVERY_MS[kind]})`)
  console.log(`PASS: ${kills} kills, seed ${seed}`)
  return true
}

async function withDatabase<Result>(
  kind: Kind,
  number: number,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  if (cluster && kind === 'postgres') {
    const name = `faults_${number}`
    await cluster.execute(`create database ${name}`)
    return use(new URL(name, cluster.url).href)
  }
  const folder = await mkdtemp(join(tmpdir(), 'quire-faults-'))
  try {
    return await use(`sqlite:${join(folder, 'quire.db')}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function toCount(name: string, text: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count >= 0) return count
  throw new Error(`${name} must be a whole number, not ${JSON.stringify(text)}.`)
}

function toKinds(text: string): readonly Kind[] {
  if (text === 'both') return ['sqlite', 'postgres']
  if (text === 'sqlite' || text === 'postgres') return [text]
  throw new Error(`--database must be sqlite, postgres or both, not ${JSON.stringify(text)}.`)
}
