import { AgentError } from '@quire/agent/agent-error'
import type { Models } from '@quire/agent/models'
import { CallerError, type FieldError } from '@quire/kit/errors'
import { type AgentChanges, ALL_TOOLSETS } from '../contract.ts'
import type { RuntimeParts } from './parts.ts'

interface Known {
  readonly models: Pick<Models, 'open'>
  readonly toolsets: Pick<RuntimeParts['toolsets'], 'names'>
}

/** Throws for names that lead nowhere here. */
export async function assertUsable(agent: AgentChanges, { models, toolsets }: Known): Promise<void> {
  const { model, mcp_toolsets = [] } = agent
  const fault = model === undefined ? undefined : await faultInModel(model, models)
  const errors: FieldError[] = fault === undefined ? [] : [{ path: 'body.model', message: fault }]
  for (const [index, name] of mcp_toolsets.entries())
    if (name !== ALL_TOOLSETS && !toolsets.names.includes(name))
      errors.push({
        path: `body.mcp_toolsets[${index}]`,
        message: `there is no toolset "${name}"; configured: ${toolsets.names.join(', ') || 'none'}`,
      })
  const [first] = errors
  if (first) throw new CallerError('validation', `${first.path}: ${first.message}`, { errors })
}

/** A provider without its key is no fault: the key may come, and a prompt says that it is missing. */
export async function faultInModel(model: string, models: Pick<Models, 'open'>): Promise<string | undefined> {
  try {
    await models.open(model)
  } catch (error) {
    if (!(error instanceof AgentError)) throw error
    if (error.fault === 'unknown_model') return error.message
  }
  return undefined
}
