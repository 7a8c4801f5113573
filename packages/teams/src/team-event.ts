export const TEAM_EVENT_TYPES = [
  'team_created',
  'team_started',
  'team_paused',
  'team_resumed',
  'team_stopped',
  'task_created',
  'task_assigned',
  'task_started',
  'task_review_requested',
  'task_review_rejected',
  'task_completed',
  'task_failed',
  'task_cancelled',
  'task_retried',
] as const
export type TeamEventType = (typeof TEAM_EVENT_TYPES)[number]

/** In the words of the wire: `data` is sent as it is. */
export interface NewTeamEvent {
  readonly type: TeamEventType
  readonly data: Readonly<Record<string, unknown>>
}
