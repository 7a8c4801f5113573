import type { AnyStore } from '@quire/kit/store/store'
import type { TeamSchema } from './engine/tables.ts'
import type { TaskStatus } from './task.ts'
import type { TeamStatus } from './team.ts'

/** Counts over all teams. */
export interface Census {
  readonly teams: ReadonlyMap<TeamStatus, number>
  readonly tasks: ReadonlyMap<TaskStatus, number>
}

/** By what the teams have counted themselves: it looks at those tasks alone that are under way, however many there were. */
export async function takeCensus(anyStore: AnyStore): Promise<Census> {
  const { db } = anyStore.as<TeamSchema>()
  const byStatus = await db
    .selectFrom('team')
    .select(({ fn }) => [
      'status',
      fn.countAll<number>().as('teams'),
      fn.sum<number>('tasks_total').as('total'),
      fn.sum<number>('tasks_completed').as('completed'),
      fn.sum<number>('tasks_failed').as('failed'),
      fn.sum<number>('tasks_cancelled').as('cancelled'),
    ])
    .groupBy('status')
    .execute()
  const underWay = await db
    .selectFrom('team_task')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .where('job_id', 'is not', null)
    .where('status', '!=', 'pending')
    .groupBy('status')
    .execute()
  const sum = (key: 'total' | 'completed' | 'failed' | 'cancelled') =>
    byStatus.reduce((total, row) => total + row[key], 0)
  const [completed, failed, cancelled] = [sum('completed'), sum('failed'), sum('cancelled')]
  const active = underWay.reduce((total, { count }) => total + count, 0)
  return {
    teams: new Map(byStatus.map(({ status, teams }) => [status, teams])),
    tasks: new Map<TaskStatus, number>([
      // Read one after the other, the two may be of different moments.
      ['pending', Math.max(0, sum('total') - completed - failed - cancelled - active)],
      ...underWay.map(({ status, count }): [TaskStatus, number] => [status, count]),
      ['completed', completed],
      ['failed', failed],
      ['cancelled', cancelled],
    ]),
  }
}
