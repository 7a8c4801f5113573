import type { Agent } from '@quire/runtime/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { faultsOf } from '../services/faults.ts'
import { request } from '../services/request.ts'
import { Field, TextArea, TextInput } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { type AgentForm, toBody, toForm } from './agent-form.ts'
import { ModelField } from './model-field.tsx'
import { AGENTS_KEY, agentPath, configurationQuery } from './queries.ts'
import { ToolsetsField } from './toolsets-field.tsx'

export interface AgentDialogProps {
  /** Absent: a new one. */
  readonly agent?: Agent
  readonly onClose: () => void
}

export function AgentDialog({ agent, onClose }: AgentDialogProps) {
  const queries = useQueryClient()
  const { data: configuration } = useQuery(configurationQuery)
  const [begun] = useState(() => toForm(agent))
  const [form, setForm] = useState(begun)
  const change = (part: Partial<AgentForm>) => setForm((before) => ({ ...before, ...part }))
  const save = useMutation({
    mutationFn: () =>
      request<Agent>('runtime', agent ? agentPath(agent.id) : '/api/v1/agents', {
        method: agent ? 'PUT' : 'POST',
        body: toBody(form, agent),
      }),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: AGENTS_KEY }),
  })
  const faults = faultsOf(save.error)
  return (
    <FormDialog
      title={agent ? `Edit ${agent.name}` : 'New agent'}
      action={agent ? 'Save' : 'Make the agent'}
      isUnsent={JSON.stringify(form) !== JSON.stringify(begun)}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <Field label="Name" isRequired error={faults.get('name')}>
        {(ids) => (
          <TextInput
            {...ids}
            required
            maxLength={128}
            value={form.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        )}
      </Field>
      {!agent && (
        <Field
          label="Id"
          error={faults.get('id')}
          hint="As it stands in addresses. Made from the name where it is empty."
        >
          {(ids) => (
            <TextInput
              {...ids}
              spellCheck={false}
              value={form.id}
              onChange={(event) => change({ id: event.target.value })}
            />
          )}
        </Field>
      )}
      <ModelField
        models={configuration?.models ?? []}
        value={form.model}
        error={faults.get('model')}
        onChange={(model) => change({ model })}
      />
      <Field label="Description" error={faults.get('description')} hint="What it is for.">
        {(ids) => (
          <TextInput
            {...ids}
            value={form.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="System prompt"
        error={faults.get('system_prompt')}
        hint="What the model is told before every conversation."
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={5}
            value={form.systemPrompt}
            onChange={(event) => change({ systemPrompt: event.target.value })}
          />
        )}
      </Field>
      <ToolsetsField
        value={form.toolsets}
        error={[...faults].find(([path]) => path.startsWith('mcp_toolsets'))?.[1]}
        onChange={(toolsets) => change({ toolsets })}
      />
      <Field
        label="Steps at the most"
        error={faults.get('max_steps')}
        hint="How often the model is asked in one turn, 1 to 100."
      >
        {(ids) => (
          <TextInput
            {...ids}
            type="number"
            min={1}
            max={100}
            className="max-w-28"
            value={form.maxSteps}
            onChange={(event) => change({ maxSteps: event.target.value })}
          />
        )}
      </Field>
      <label className="flex items-start gap-2 text-sm">
        <input
          type="checkbox"
          className="mt-1 accent-accent"
          checked={form.toolApproval}
          onChange={(event) => change({ toolApproval: event.target.checked })}
        />
        <span>
          <span className="font-medium">Ask me before each call of a tool</span>
          <span className="block text-quiet">The agent waits until you approve or refuse it.</span>
        </span>
      </label>
    </FormDialog>
  )
}
