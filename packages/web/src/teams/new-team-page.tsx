import type { NewTeam, Team } from '@quire/teams/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { faultsOf } from '../services/faults.ts'
import { request } from '../services/request.ts'
import { Button } from '../ui/button.tsx'
import { Field, TextArea, TextInput } from '../ui/field.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { Page } from '../ui/page.tsx'
import { Failure } from '../ui/state.tsx'
import { useLeaveQuestion } from '../ui/use-leave-question.ts'
import { BudgetFields } from './budget-fields.tsx'
import { MemberFields } from './member-fields.tsx'
import { NO_OFFERS, offersQuery } from './offers.ts'
import { ModeFields, SupervisorFields } from './team-fields.tsx'
import { createMember, createTeamForm, type MemberForm, type TeamForm, toNewTeam } from './team-form.ts'

const MOST_MEMBERS = 100

export function NewTeamPage() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [begun] = useState(createTeamForm)
  const [form, setForm] = useState(begun)
  useLeaveQuestion(JSON.stringify(form) !== JSON.stringify(begun))
  const { data: offers = NO_OFFERS } = useQuery(offersQuery)
  const create = useMutation({
    mutationFn: (body: NewTeam) => request<Team>('teams', '/teams', { method: 'POST', body }),
    onSuccess: async ({ team_id }) => {
      await queries.invalidateQueries({ queryKey: ['teams', 'list'] })
      await navigate({ to: '/teams/$id', params: { id: team_id }, ignoreBlocker: true })
    },
  })
  const faults = faultsOf(create.error)

  function change(changes: Partial<TeamForm>): void {
    setForm({ ...form, ...changes })
  }
  function changeMember(key: string, changes: Partial<MemberForm>): void {
    const before = form.members.find((member) => member.key === key)
    // The supervisor keeps its place when it gets another name.
    const isSupervisor =
      changes.name !== undefined && before?.name === form.supervisor && form.supervisor !== ''
    change({
      members: form.members.map((member) => (member.key === key ? { ...member, ...changes } : member)),
      ...(isSupervisor && { supervisor: changes.name }),
    })
  }
  function removeMember({ key, name }: MemberForm): void {
    change({
      members: form.members.filter((member) => member.key !== key),
      ...(name === form.supervisor && { supervisor: '' }),
    })
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    create.mutate(toNewTeam(form))
  }

  return (
    <Page title="New team" note="It does nothing before it is started.">
      <form onSubmit={submit} className="flex max-w-3xl flex-col gap-8">
        <div className="flex flex-col gap-4">
          <Field label="Name" isRequired error={faults.get('name')}>
            {(ids) => (
              <TextInput
                {...ids}
                required
                autoFocus
                maxLength={100}
                value={form.name}
                onChange={(event) => change({ name: event.target.value })}
                placeholder="Writers"
              />
            )}
          </Field>
          <Field label="What it is for" hint="Members are told it" error={faults.get('description')}>
            {(ids) => (
              <TextArea
                {...ids}
                value={form.description}
                onChange={(event) => change({ description: event.target.value })}
              />
            )}
          </Field>
        </div>
        <ModeFields form={form} onChange={change} />
        <section className="flex flex-col gap-3" aria-labelledby="members">
          <h2 id="members" className="text-lg font-semibold">
            Members
          </h2>
          {form.members.map((member, index) => (
            <MemberFields
              key={member.key}
              index={index}
              member={member}
              offers={offers}
              faults={faults}
              onChange={(changes) => changeMember(member.key, changes)}
              onRemove={form.members.length === 1 ? undefined : () => removeMember(member)}
            />
          ))}
          {form.members.length < MOST_MEMBERS && (
            <Button
              className="self-start"
              onClick={() => change({ members: [...form.members, createMember()] })}
            >
              <Plus aria-hidden /> Another member
            </Button>
          )}
        </section>
        <SupervisorFields form={form} faults={faults} onChange={change} />
        <section className="flex flex-col gap-4" aria-labelledby="budget">
          <h2 id="budget" className="text-lg font-semibold">
            Budget
          </h2>
          <p className="text-sm text-quiet">A team that has spent it pauses by itself.</p>
          <BudgetFields form={form} faults={faults} onChange={change} />
        </section>
        {create.isError && <Failure error={create.error} />}
        <div className="flex gap-2">
          <Button type="submit" kind="primary" isBusy={create.isPending}>
            Make the team
          </Button>
          <LinkButton to="/teams">Leave it</LinkButton>
        </div>
      </form>
    </Page>
  )
}
