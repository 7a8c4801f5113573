import { AgentError } from '@quire/agent/agent-error'
import type { Models } from '@quire/agent/models'
import { ConfigError } from '@quire/kit/config/config-error'
import type { ToolsetsConfig } from '@quire/mcp/toolsets/config'

interface Named {
  readonly defaultModel: string
  readonly requiredToolsets: readonly string[]
  readonly toolsets: ToolsetsConfig
}

/** Throws a `ConfigError` for names that lead nowhere. */
export async function assertRunnable(
  { defaultModel, toolsets, requiredToolsets }: Named,
  models: Pick<Models, 'isPriced'>,
): Promise<void> {
  const fault = await faultInModel(defaultModel, models)
  const unknown = requiredToolsets.filter((name) => !toolsets.has(name))
  const faults = [
    ...(fault === undefined ? [] : [{ setting: '--model', origin: defaultModel, message: fault }]),
    ...unknown.map((name) => ({
      setting: '--require-toolset',
      origin: name,
      message: `is no configured toolset; there are: ${[...toolsets.keys()].join(', ') || 'none'}`,
    })),
  ]
  if (faults.length > 0) throw new ConfigError(faults)
}

/** A provider without its key is no fault: the key may come, and a task says that it is missing. */
async function faultInModel(model: string, models: Pick<Models, 'isPriced'>): Promise<string | undefined> {
  try {
    await models.isPriced(model)
    return undefined
  } catch (error) {
    if (error instanceof AgentError) return error.message
    throw error
  }
}
