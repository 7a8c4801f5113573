import type { Team } from '@quire/teams/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type LucideIcon, Pause, Play, Square, StepForward, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { request } from '../services/request.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Failure } from '../ui/state.tsx'
import { ALLOWED, type Operation } from './statuses.tsx'
import { teamKey, teamPath } from './team-queries.ts'

type Change = Exclude<Operation, 'delete'>

const CHANGES: Readonly<
  Record<Change, { readonly label: string; readonly icon: LucideIcon; readonly note: string }>
> = {
  start: { label: 'Start', icon: Play, note: 'Tasks are begun' },
  resume: { label: 'Resume', icon: StepForward, note: 'Tasks are begun again' },
  pause: { label: 'Pause', icon: Pause, note: 'What is under way is finished, nothing new is begun' },
  stop: { label: 'Stop', icon: Square, note: 'What is under way is aborted, and goes on after a start' },
}

/** What may be done with a team in its present state. */
export function TeamControls({ team }: { readonly team: Team }) {
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (operation: Change) =>
      request<Team>('teams', teamPath(team.team_id, `/${operation}`), { method: 'POST' }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['teams'] }),
  })
  return (
    <>
      {ALLOWED[team.status].map((operation) => {
        if (operation === 'delete') return <DeleteTeam key={operation} team={team} />
        const { label, icon: Icon, note } = CHANGES[operation]
        return (
          <Button
            key={operation}
            kind={operation === 'start' || operation === 'resume' ? 'primary' : 'plain'}
            title={note}
            isBusy={change.isPending && change.variables === operation}
            onClick={() => change.mutate(operation)}
          >
            <Icon aria-hidden /> {label}
          </Button>
        )
      })}
      {change.isError && <Failure error={change.error} />}
    </>
  )
}

function DeleteTeam({ team }: { readonly team: Team }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const remove = useMutation({
    mutationFn: () => request('teams', teamPath(team.team_id), { method: 'DELETE' }),
    onSuccess: async () => {
      announce(`${team.name} was deleted.`)
      await navigate({ to: '/teams' })
      queries.removeQueries({ queryKey: teamKey(team.team_id) })
      await queries.invalidateQueries({ queryKey: ['teams', 'list'] })
    },
    onError: () => setOpen(false),
  })
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        <Trash2 aria-hidden /> Delete
      </Button>
      {isOpen && (
        <Confirm
          title={`Delete ${team.name}?`}
          description="Its tasks, their results and its events are deleted with it. What is under way is aborted."
          action="Delete the team"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setOpen(false)}
        />
      )}
      {remove.isError && <Failure error={remove.error} />}
    </>
  )
}
