import type { Task, Team } from '@quire/teams/contract'
import { Badge, type Tone } from '../ui/badge.tsx'

type TeamStatus = Team['status']
export type Operation = 'start' | 'pause' | 'resume' | 'stop' | 'delete'

/** What the service allows in each state. */
export const ALLOWED: Readonly<Record<TeamStatus, readonly Operation[]>> = {
  draft: ['start', 'delete'],
  running: ['pause', 'stop'],
  paused: ['resume', 'stop', 'delete'],
  stopped: ['start', 'delete'],
}

const TEAM_TONES: Readonly<Record<TeamStatus, Tone>> = {
  draft: 'quiet',
  running: 'good',
  paused: 'warn',
  stopped: 'quiet',
}

const TASK_TONES: Readonly<Record<Task['status'], Tone>> = {
  pending: 'quiet',
  assigned: 'busy',
  in_progress: 'busy',
  in_review: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'quiet',
}

const PRIORITY_TONES: Readonly<Record<Task['priority'], Tone>> = {
  critical: 'bad',
  high: 'warn',
  medium: 'quiet',
  low: 'quiet',
}

export function TeamStatusBadge({ status }: Pick<Team, 'status'>) {
  return <Badge tone={TEAM_TONES[status]}>{toLabel(status)}</Badge>
}

export function TaskStatusBadge({ status }: Pick<Task, 'status'>) {
  return <Badge tone={TASK_TONES[status]}>{toLabel(status)}</Badge>
}

export function PriorityBadge({ priority }: Pick<Task, 'priority'>) {
  return <Badge tone={PRIORITY_TONES[priority]}>{toLabel(priority)}</Badge>
}

/** `in_progress` → `In progress`. */
export function toLabel(word: string): string {
  const spaced = word.replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}
