import type { TeamEvent } from '../teams.ts'
import type { StoredTask } from './database.fixture.ts'
import type { Kill } from './fleet.fixture.ts'
import type { LedgerLine } from './ledger.fixture.ts'

export interface Recovery {
  readonly ms: number
  /** A further kill came between, perhaps of the process that was about to go on with it. */
  readonly isDisturbed: boolean
}

/** How long each run that a kill cut short waited for the next. Those that a stop took back are left out. */
export function recoveries(
  kills: readonly Kill[],
  ledgers: ReadonlyMap<number, readonly LedgerLine[]>,
  tasks: readonly StoredTask[],
  events: ReadonlyMap<string, readonly TeamEvent[]>,
): readonly Recovery[] {
  const teamOf = new Map(tasks.map(({ id, team_id }) => [id, team_id]))
  return kills.flatMap(({ pid, goneOnAt }) => {
    const lines = ledgers.get(pid) ?? []
    return cutShort(lines).flatMap((task) => {
      const next = nextRun(ledgers, task, pid)
      if (next === undefined) return []
      const told = events.get(teamOf.get(task) ?? '') ?? []
      const since = lines.at(-1)?.at ?? 0
      const wasStopped = told.some(
        ({ type, at }) => type === 'team_stopped' && Date.parse(at) >= since && Date.parse(at) <= next,
      )
      if (wasStopped) return []
      const isDisturbed = kills.some((kill) => kill.goneOnAt > goneOnAt && kill.goneOnAt <= next)
      return { ms: Math.max(0, next - goneOnAt), isDisturbed }
    })
  })
}

function cutShort(lines: readonly LedgerLine[]): readonly string[] {
  const under = new Set<string>()
  for (const line of lines) {
    if (line.kind === 'run') under.add(line.task)
    if (line.kind === 'ran') under.delete(line.task)
  }
  return [...under]
}

function nextRun(
  ledgers: ReadonlyMap<number, readonly LedgerLine[]>,
  task: string,
  pid: number,
): number | undefined {
  const lines = ledgers.get(pid) ?? []
  const since = lines.findLast((line) => line.kind === 'run' && line.task === task)?.at ?? 0
  const later = [...ledgers].flatMap(([other, found]) =>
    other === pid
      ? []
      : found.filter((line) => line.kind === 'run' && line.task === task && line.at >= since),
  )
  return later.length === 0 ? undefined : Math.min(...later.map(({ at }) => at))
}
