import { AgentError } from '@quire/agent/agent-error'
import type { Models } from '@quire/agent/models'
import { NOTHING_SPENT } from '@quire/agent/spent'
import type { Logger } from '@quire/kit/log'
import { type Asked, askTwice, toAgentAsk, toModelAsk } from './ask-supervisor.ts'
import { cutText, toPlainText } from './data-block.ts'
import type { RemoteAgents } from './remote-agents.ts'
import { chooseByRule } from './routing-rule.ts'
import type { ReviewCall, RouteCall, Routing, SupervisorCalls, Verdict } from './supervisor-calls.ts'
import { type Question, reviewQuestion, routeQuestion } from './supervisor-questions.ts'

export interface SupervisorCallsOptions {
  readonly models: Pick<Models, 'open'>
  /** Absent: no agents of runtimes elsewhere may be asked. */
  readonly agents?: RemoteAgents | undefined
  readonly logger?: Pick<Logger, 'warn'> | undefined
}

const LONGEST_REASON = 8_000

export function createSupervisorCalls({ models, agents, logger }: SupervisorCallsOptions): SupervisorCalls {
  async function route(call: RouteCall): Promise<Routing> {
    const { team, candidates } = call
    const byRule = chooseByRule(candidates, team.supervisor?.memberName ?? '')
    if (byRule === undefined) throw new Error('A task is routed among no candidates.')
    if (candidates.length === 1) return onlyOne(byRule.name)
    const { answer, problem, spent } = await ask(call, routeQuestion(call, byRule))
    if (answer !== undefined)
      return { memberName: answer.member, reason: shorten(answer.reason), isFallback: false, spent }
    const reason = `The supervisor made no choice that makes sense (${problem}): the rule chose.`
    return { memberName: byRule.name, reason: shorten(reason), isFallback: true, spent }
  }

  async function review(call: ReviewCall): Promise<Verdict> {
    const { answer, problem, spent } = await ask(call, reviewQuestion(call))
    if (answer !== undefined)
      return { isApproved: answer.approved, reasons: shorten(answer.reasons), isFallback: false, spent }
    const reasons = `The supervisor's review made no sense (${problem}), and what is not approved is returned.`
    return { isApproved: false, reasons: shorten(reasons), isFallback: true, spent }
  }

  async function ask<Answer>(
    call: RouteCall | ReviewCall,
    question: Question<Answer>,
  ): Promise<Asked<Answer>> {
    const { team, task, callId, gate, signal } = call
    signal.throwIfAborted()
    const { model, agentUrl } = supervisorOf(call)
    const asked = await askTwice(
      agentUrl === undefined
        ? toModelAsk(await models.open(model ?? ''), question, { gate, signal })
        : toAgentAsk(allowed(agents), question, { agentUrl, id: callId, gate, signal }),
    )
    if (asked.answer === undefined)
      logger?.warn({ team: team.id, task: task.id, problem: asked.problem }, 'a supervisor made no sense')
    return asked
  }

  return Object.freeze({ route, review })
}

function supervisorOf({ team }: RouteCall | ReviewCall) {
  const found = team.members.find(({ name }) => name === team.supervisor?.memberName)
  if (found === undefined) throw new Error('A team without a supervisor is asked what one has to say.')
  return found
}

function allowed(agents: RemoteAgents | undefined): RemoteAgents {
  if (agents !== undefined) return agents
  throw new AgentError(
    'unconfigured',
    'The supervisor is an agent of a runtime elsewhere, and none is allowed here. Allow its address in the settings.',
  )
}

function onlyOne(memberName: string): Routing {
  return { memberName, reason: 'There is no other.', isFallback: false, spent: NOTHING_SPENT }
}

function shorten(text: string): string {
  return cutText(toPlainText(text), LONGEST_REASON)
}
