import type { Task } from '../task.ts'
import type { Teams } from '../teams.ts'
import type { ListTasks } from './params.ts'
import { stateOf, timeOf, toWireTask } from './wire-task.ts'

/** Results may be long: not many are in memory at once, however many tasks there are. */
const BATCH = 100

/** Those that changed last come first, as A2A wants it. */
export async function readPage(
  teams: Pick<Teams, 'listTasks' | 'getTask'>,
  teamId: string,
  query: Omit<ListTasks, 'contextId'>,
) {
  const { pageSize, pageToken, includeArtifacts } = query
  const found = await findTasks(teams, teamId, query)
  const end = pageToken + pageSize
  const page = found.slice(pageToken, end).map(({ id }) => teams.getTask(teamId, id))
  return {
    tasks: (await Promise.all(page)).map((task) => {
      const { artifacts = [], ...rest } = toWireTask({ task }, teamId)
      return includeArtifacts ? { ...rest, artifacts } : rest
    }),
    nextPageToken: end < found.length ? String(end) : '',
    pageSize,
    totalSize: found.length,
  }
}

async function findTasks(
  teams: Pick<Teams, 'listTasks'>,
  teamId: string,
  { status, statusTimestampAfter: since }: Omit<ListTasks, 'contextId'>,
) {
  const isWanted = (task: Task) =>
    (!status || status === 'TASK_STATE_UNSPECIFIED' || stateOf(task) === status) &&
    (!since || Date.parse(timeOf(task)) >= Date.parse(since))
  const found: { readonly id: string; readonly at: number }[] = []
  for (let offset = 0; ; offset += BATCH) {
    const tasks = await teams.listTasks(teamId, { limit: BATCH, offset })
    for (const task of tasks.filter(isWanted)) found.push({ id: task.id, at: Date.parse(timeOf(task)) })
    if (tasks.length < BATCH) return found.reverse().sort((one, other) => other.at - one.at)
  }
}
