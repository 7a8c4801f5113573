import type { AssistantMessage } from '@quire/agent/message'
import type { MemberWork, Step } from './members.ts'
import type { RemoteAgents } from './remote-agents.ts'
import { toFailedStep, toResult } from './result.ts'
import { openingOf, systemPromptOf } from './task-prompt.ts'

/** A member that is an agent of a runtime elsewhere: its tools and steps are its own, and one answer is one step. */
export async function* runRemoteMember(
  agents: RemoteAgents,
  work: MemberWork,
  agentUrl: string,
): AsyncGenerator<Step> {
  const { attemptId, steps, gate, signal } = work
  const prompts = [
    `${systemPromptOf(work)}\n\n${openingOf(work)}`,
    ...steps.flatMap((step) => (step.role === 'user' ? [step.text] : [])),
  ]
  const { text, spent, error } = await agents.ask({ agentUrl, id: attemptId, prompts, gate, signal })
  signal.throwIfAborted()
  const message: AssistantMessage = { role: 'assistant', parts: [{ type: 'text', text }] }
  const result = error ?? toResult(text, `"${work.member.name}"`)
  if (typeof result === 'string') return yield { message, spent, result }
  yield toFailedStep({ message, spent })
  throw result
}
