import { noTask } from '../engine/task-rows.ts'
import { noTeam } from '../engine/team-rows.ts'

const ID = /^[\w-]{1,64}$/

/** No team has an id of another shape: the store, which cannot take every text, need not be asked. */
export function knownTeam({ team_id }: { readonly team_id: string }): string {
  if (ID.test(team_id)) return team_id
  throw noTeam(team_id)
}

export function knownTask(params: { readonly team_id: string; readonly task_id: string }): {
  readonly teamId: string
  readonly taskId: string
} {
  const teamId = knownTeam(params)
  const taskId = params.task_id
  if (ID.test(taskId)) return { teamId, taskId }
  throw noTask(teamId, taskId)
}
