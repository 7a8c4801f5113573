import type { AgentSummary } from '@quire/runtime/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { request } from '../services/request.ts'
import { announce } from '../ui/announce.ts'
import { Asked } from '../ui/asked.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failure } from '../ui/state.tsx'
import { toText } from '../ui/to-text.ts'
import { AgentCard } from './agent-card.tsx'
import { AgentDialog } from './agent-dialog.tsx'
import { FirstModel } from './model-notice.tsx'
import { AGENTS_KEY, agentPath, agentQuery, agentsQuery } from './queries.ts'

const BUILT_IN = 'builtin:'

/** Which form is open stands in the address, so that it can be linked to. */
interface AgentsSearch {
  readonly new?: boolean
  readonly edit?: unknown
}

export function AgentsPage() {
  const agents = useQuery(agentsQuery)
  const { new: isNew, edit } = useSearch({ strict: false }) as AgentsSearch
  const navigate = useNavigate()
  const [doomed, setDoomed] = useState<AgentSummary>()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: ({ id }: AgentSummary) => request('runtime', agentPath(id), { method: 'DELETE' }),
    onSuccess: (_, { name }) => announce(`${name} was deleted.`),
    onSettled: () => {
      setDoomed(undefined)
      return queries.invalidateQueries({ queryKey: AGENTS_KEY })
    },
  })
  /** A form asks before it closes. */
  const go = (search: AgentsSearch) =>
    void navigate({ to: '/agents', search: search as never, ignoreBlocker: true })
  return (
    <Page
      title="Agents"
      note="Each is a model with instructions and tools. Choose one to talk to it."
      actions={
        <Button kind="primary" onClick={() => go({ new: true })}>
          <Plus aria-hidden /> New agent
        </Button>
      }
    >
      {remove.isError && <Failure error={remove.error} />}
      <Asked query={agents} what="the agents">
        {({ agents }) =>
          agents.length === 0 ? (
            <>
              <Empty title="There is no agent yet.">
                Make one with New agent above: all it needs is a name.
              </Empty>
              <FirstModel />
            </>
          ) : (
            <>
              <ul className="grid gap-4 lg:grid-cols-2">
                {agents.map((agent) => (
                  <li key={agent.id} className="min-w-0">
                    <AgentCard
                      agent={agent}
                      onEdit={() => go({ edit: agent.id })}
                      onDelete={() => setDoomed(agent)}
                    />
                  </li>
                ))}
              </ul>
              {agents.every(({ model }) => model.startsWith(BUILT_IN)) && <FirstModel />}
            </>
          )
        }
      </Asked>
      {isNew && <AgentDialog onClose={() => go({})} />}
      {toText(edit) !== '' && <EditAgent id={toText(edit)} onClose={() => go({})} />}
      {doomed && (
        <Confirm
          title={`Delete ${doomed.name}?`}
          description="What it is doing is cancelled. Its conversations stay stored, but cannot be gone on with."
          action="Delete the agent"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(doomed)}
          onClose={() => setDoomed(undefined)}
        />
      )}
    </Page>
  )
}

function EditAgent({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useQuery(agentQuery(id))
  if (query.isError) return <Failure error={query.error} onRetry={() => void query.refetch()} />
  return query.data && <AgentDialog key={id} agent={query.data} onClose={onClose} />
}
