import { AgentError } from '@quire/agent/agent-error'
import { createCompaction } from '@quire/agent/compaction'
import type { Logger } from '@quire/kit/log'
import type { Members, MemberWork, Step } from './members.ts'
import { type ModelMemberOptions, runModelMember } from './model-member.ts'
import type { RemoteAgents } from './remote-agents.ts'
import { runRemoteMember } from './remote-member.ts'

export interface MembersOptions extends Omit<ModelMemberOptions, 'compaction'> {
  /** Absent: no agents of runtimes elsewhere may be asked. */
  readonly agents?: RemoteAgents | undefined
  readonly logger?: Pick<Logger, 'error'> | undefined
}

export function createMembers(options: MembersOptions): Members {
  const { agents, logger } = options
  const here: ModelMemberOptions = { ...options, compaction: createCompaction() }

  async function* run(work: MemberWork): AsyncGenerator<Step> {
    try {
      yield* stepsOf(work)
    } catch (error) {
      if (error instanceof AgentError && error.fault === 'internal')
        logger?.error({ err: error, task: work.task.id, member: work.member.name }, 'an attempt failed')
      throw error
    }
  }

  function stepsOf(work: MemberWork): AsyncGenerator<Step> {
    const { name, model, agentUrl } = work.member
    if (agentUrl !== undefined && agents !== undefined) return runRemoteMember(agents, work, agentUrl)
    if (model !== undefined && agentUrl === undefined) return runModelMember(here, work, model)
    throw new AgentError(
      'unconfigured',
      `"${name}" is ${agentUrl === undefined ? 'a member without a model' : 'an agent of a runtime elsewhere, and none is allowed here'}. Make the team anew.`,
    )
  }

  return Object.freeze({ run })
}
