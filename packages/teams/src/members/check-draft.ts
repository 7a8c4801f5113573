import { AgentError } from '@quire/agent/agent-error'
import type { Models } from '@quire/agent/models'
import type { FieldError } from '@quire/kit/errors'
import type { Member, TeamDraft } from '../team.ts'
import type { RemoteAgents } from './remote-agents.ts'

export interface DraftKnowledge {
  readonly models: Pick<Models, 'isPriced'>
  readonly toolsetNames: readonly string[]
  readonly agents?: RemoteAgents | undefined
}

const MOST_NAMED = 20

/** What of a team leads nowhere here. A provider without its key is no fault: the key may come. */
export async function faultsInDraft(
  { members, budget }: TeamDraft,
  knowledge: DraftKnowledge,
): Promise<readonly FieldError[]> {
  const faults: FieldError[] = []
  const unpriced: string[] = []
  for (const [index, member] of members.entries()) {
    const path = `members[${index}]`
    if (!(await isPriced(member, path))) unpriced.push(member.name)
    for (const [at, name] of member.mcpToolsets.entries())
      if (!knowledge.toolsetNames.includes(name))
        faults.push({ path: `${path}.mcp_toolsets[${at}]`, message: unknownToolset(name) })
  }
  if (budget?.maxCostUsd !== undefined && unpriced.length > 0)
    faults.push({ path: 'budget.max_cost_usd', message: unpricedText(unpriced) })
  return faults

  /** Where it cannot be told, that is a fault of its own. */
  async function isPriced({ model, agentUrl }: Member, path: string): Promise<boolean> {
    if (agentUrl !== undefined) {
      const refusal = knowledge.agents?.refusalOf(agentUrl)
      if (knowledge.agents === undefined) faults.push({ path: `${path}.agent_url`, message: NO_AGENTS })
      else if (refusal !== undefined) faults.push({ path: `${path}.agent_url`, message: refusal })
      return false
    }
    if (model === undefined) return true
    try {
      return await knowledge.models.isPriced(model)
    } catch (error) {
      if (!(error instanceof AgentError)) throw error
      faults.push({ path: `${path}.model`, message: error.message })
      return true
    }
  }

  function unknownToolset(name: string): string {
    const known = knowledge.toolsetNames.slice(0, MOST_NAMED).join(', ')
    return `there is no toolset ${JSON.stringify(name)}; configured: ${known || 'none'}`
  }
}

const NO_AGENTS = 'no agents of runtimes elsewhere are allowed here: allow their address in the settings'

function unpricedText(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => JSON.stringify(name))
  return `cannot be kept: nobody knows in advance what ${shown.join(', ')} costs. Use max_tokens, or models with a known price`
}
