import type { Team, TeamChanges } from '@quire/teams/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { faultsOf } from '../services/faults.ts'
import { request } from '../services/request.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { toDuration } from '../ui/duration.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { BudgetBar } from './budget-bar.tsx'
import { BudgetFields } from './budget-fields.tsx'
import { toBudget, toBudgetForm } from './budget-form.ts'
import { TeamStatusBadge } from './statuses.tsx'
import { TaskProgress } from './team-card.tsx'
import { metricsQuery, teamKey, teamPath } from './team-queries.ts'

/** Where a team stands: its state, its tasks, its budget. */
export function TeamFigures({ team }: { readonly team: Team }) {
  const { data: metrics } = useQuery(metricsQuery(team.team_id))
  const [isOpen, setOpen] = useState(false)
  return (
    <Card aria-label="State" className="grid gap-5 sm:grid-cols-3">
      <div className="flex flex-col items-start gap-2">
        <TeamStatusBadge status={team.status} />
        <p className="text-sm break-words text-quiet">
          {team.pause_reason ??
            (metrics && team.status === 'running' && `Up ${toDuration(metrics.uptime_seconds)}`)}
          {metrics &&
            metrics.members_active > 0 &&
            ` · ${metrics.members_active} of ${team.members.length} members busy`}
        </p>
      </div>
      <div>{metrics && <TaskProgress counts={metrics} />}</div>
      <div className="flex flex-col items-start gap-2">
        <div className="w-full">
          <BudgetBar budget={team.budget} usage={team.usage} />
        </div>
        <Button size="small" onClick={() => setOpen(true)}>
          {team.budget ? 'Change the budget' : 'Set a budget'}
        </Button>
      </div>
      {isOpen && <BudgetDialog team={team} onClose={() => setOpen(false)} />}
    </Card>
  )
}

function BudgetDialog({ team, onClose }: { readonly team: Team; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [begun] = useState(() => toBudgetForm(team.budget))
  const [form, setForm] = useState(begun)
  const change = useMutation({
    mutationFn: (body: TeamChanges) =>
      request<Team>('teams', teamPath(team.team_id), { method: 'PATCH', body }),
    onSuccess: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey: teamKey(team.team_id) })
    },
  })
  const faults = faultsOf(change.error)
  return (
    <FormDialog
      title="Budget"
      description="A team that has spent it pauses by itself. Empty is without a limit."
      action="Save"
      isUnsent={form.max_tokens !== begun.max_tokens || form.max_cost_usd !== begun.max_cost_usd}
      isBusy={change.isPending}
      error={faults.size === 0 ? change.error : undefined}
      onSend={() => change.mutate({ budget: toBudget(form) })}
      onClose={onClose}
    >
      <BudgetFields
        form={form}
        faults={faults}
        onChange={(changes) => setForm((before) => ({ ...before, ...changes }))}
      />
    </FormDialog>
  )
}
