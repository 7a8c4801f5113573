import type { NewTask as NewTaskBody, Task, Team } from '@quire/teams/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { faultsOf } from '../services/faults.ts'
import { request } from '../services/request.ts'
import { Field, Select, TextArea, TextInput } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { toLabel } from './statuses.tsx'
import { teamKey, teamPath } from './team-queries.ts'

export interface NewTaskProps {
  readonly team: Team
  readonly tasks: readonly Task[]
  readonly onClose: () => void
}

type Form = Required<{ [Key in 'title' | 'description' | 'priority' | 'assigned_to']: string }> & {
  readonly depends_on: readonly string[]
}

const PRIORITIES: readonly NewTaskBody['priority'][] = ['critical', 'high', 'medium', 'low']
const EMPTY: Form = { title: '', description: '', priority: 'medium', assigned_to: '', depends_on: [] }

export function NewTask({ team, tasks, onClose }: NewTaskProps) {
  const queries = useQueryClient()
  const [form, setForm] = useState(EMPTY)
  const create = useMutation({
    mutationFn: (body: object) =>
      request<Task>('teams', teamPath(team.team_id, '/tasks'), {
        method: 'POST',
        body,
        headers: { 'idempotency-key': crypto.randomUUID() },
      }),
    onSuccess: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey: teamKey(team.team_id) })
    },
  })
  const faults = faultsOf(create.error)
  function change(changes: Partial<Form>): void {
    setForm({ ...form, ...changes })
  }
  function send(): void {
    create.mutate({ ...form, assigned_to: form.assigned_to === '' ? null : form.assigned_to })
  }
  return (
    <FormDialog
      title="New task"
      description={team.status === 'running' ? undefined : `It waits until ${team.name} runs.`}
      action="Give it to the team"
      isUnsent={JSON.stringify(form) !== JSON.stringify(EMPTY)}
      isBusy={create.isPending}
      isComplete={form.title.trim() !== ''}
      error={faults.size === 0 ? create.error : undefined}
      onSend={send}
      onClose={onClose}
    >
      <Field label="Title" isRequired error={faults.get('title')}>
        {(ids) => (
          <TextInput
            {...ids}
            value={form.title}
            onChange={(event) => change({ title: event.target.value })}
            placeholder="Find three sources"
          />
        )}
      </Field>
      <Field label="Description" hint="The member reads it as it stands." error={faults.get('description')}>
        {(ids) => (
          <TextArea
            {...ids}
            value={form.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Priority" error={faults.get('priority')}>
          {(ids) => (
            <Select
              {...ids}
              value={form.priority}
              onChange={(event) => change({ priority: event.target.value })}
            >
              {PRIORITIES.map((priority) => (
                <option key={priority} value={priority}>
                  {toLabel(priority)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Assigned to" error={faults.get('assigned_to')}>
          {(ids) => (
            <Select
              {...ids}
              value={form.assigned_to}
              onChange={(event) => change({ assigned_to: event.target.value })}
            >
              <option value="">Whoever is chosen</option>
              {team.members.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      {tasks.length > 0 && (
        <Dependencies
          tasks={tasks}
          chosen={form.depends_on}
          error={faults.get('depends_on')}
          onChange={(depends_on) => change({ depends_on })}
        />
      )}
    </FormDialog>
  )
}

/** Of many tasks the newest: what a task builds on is seldom old. */
const MOST_OFFERED = 100

interface DependenciesProps {
  readonly tasks: readonly Task[]
  readonly chosen: readonly string[]
  readonly error: string | undefined
  readonly onChange: (chosen: readonly string[]) => void
}

function Dependencies({ tasks, chosen, error, onChange }: DependenciesProps) {
  const offered = tasks
    .filter(({ status }) => status !== 'cancelled')
    .slice(-MOST_OFFERED)
    .reverse()
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="pb-1 text-sm font-medium">Depends on</legend>
      <div className="flex max-h-40 flex-col overflow-auto rounded-md border p-1">
        {offered.map(({ task_id, title, status }) => (
          <label key={task_id} className="flex items-center gap-2 rounded px-2 py-1 text-sm hover:bg-raised">
            <input
              type="checkbox"
              className="size-4 shrink-0 accent-accent"
              checked={chosen.includes(task_id)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, task_id] : chosen.filter((id) => id !== task_id))
              }
            />
            <bdi className="min-w-0 flex-1 truncate">{title}</bdi>
            <span className="text-xs text-quiet">{toLabel(status)}</span>
          </label>
        ))}
      </div>
      <p className="text-sm text-quiet">
        {error === undefined ? 'It waits until these are completed, and gets their results.' : error}
      </p>
    </fieldset>
  )
}
