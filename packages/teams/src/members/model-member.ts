import { AgentError } from '@quire/agent/agent-error'
import type { Compaction } from '@quire/agent/compaction'
import { type AssistantMessage, type Message, textOf, toolCallsOf } from '@quire/agent/message'
import type { FinishReason } from '@quire/agent/model'
import type { Models } from '@quire/agent/models'
import { type AgentRun, runAgent } from '@quire/agent/run-agent'
import { NOTHING_SPENT, toSpent } from '@quire/agent/spent'
import type { ModelTools } from '@quire/mcp/toolsets/model-tools'
import { toThread } from '@quire/mcp/toolsets/thread'
import type { Member } from '../team.ts'
import { createCompactedModel } from './compacted-model.ts'
import { createGatedModel, type GatedModel } from './gated-model.ts'
import type { MemberWork, Step } from './members.ts'
import { toFailedStep, toResult } from './result.ts'
import { openingOf, systemPromptOf } from './task-prompt.ts'

const MAX_STEPS = 16

export interface ModelMemberOptions {
  readonly models: Pick<Models, 'open'>
  readonly tools: ModelTools
  readonly compaction: Compaction
}

/** A member that is a model here, with the tools of its toolsets. */
export async function* runModelMember(
  { models, tools, compaction }: ModelMemberOptions,
  work: MemberWork,
  modelId: string,
): AsyncGenerator<Step> {
  const { team, member, signal, attemptId } = work
  signal.throwIfAborted()
  const steps = withoutCutAnswer(work.steps)
  const maxSteps = stepsLeft(member, steps)
  const gated = createGatedModel(await models.open(modelId), work.gate)
  const wanted = {
    names: member.mcpToolsets,
    who: `${team.name}/${member.name}`,
    // What a member has opened is still there with its next task.
    thread: toThread(['member', team.id, member.name], `${member.name} (${team.name})`),
  }
  const run = runAgent(
    { systemPrompt: systemPromptOf(work), maxSteps },
    [{ role: 'user', text: openingOf(work) }, ...steps],
    {
      model: createCompactedModel(gated.model, compaction),
      tools: await tools.toolsOf(wanted, signal),
      signal,
      idempotencyKeyOf: (callId) => `${attemptId}.${callId}`,
    },
  )
  yield* readRun(run, gated, signal)
}

async function* readRun(
  run: AgentRun,
  { model, refusal }: GatedModel,
  signal: AbortSignal,
): AsyncGenerator<Step> {
  /** Whether it is a result shows only at the end. */
  let last: (Step & { readonly message: AssistantMessage }) | undefined
  let failure: unknown
  for await (const event of run) {
    signal.throwIfAborted()
    if (event.type === 'error') failure = refusal()?.error ?? event.error
    if (event.type === 'message') {
      const { message } = event
      const spent = event.usage === undefined ? NOTHING_SPENT : toSpent(event.usage, model)
      if (isLast(message)) last = { message, spent }
      else yield { message, spent }
    }
    if (event.type === 'done' && event.reason === 'end') {
      const outcome = toOutcome(last, event.finish, model.id)
      if (last !== undefined && typeof outcome === 'string') return yield { ...last, result: outcome }
      failure = outcome
    }
  }
  if (last !== undefined) yield toFailedStep(last)
  throw failure ?? new AgentError('internal', 'The run ended with neither a result nor a failure.')
}

/** What was asked before a crash counts. A result that was returned is followed by an answer with a count of its own. */
function stepsLeft({ maxSteps = MAX_STEPS }: Member, steps: readonly Message[]): number {
  const since = steps.slice(steps.findLastIndex(({ role }) => role === 'user') + 1)
  const left = maxSteps - since.filter(({ role }) => role === 'assistant').length
  if (left > 0) return left
  throw new AgentError(
    'steps',
    `The member still wanted tools after ${maxSteps} steps, its limit. Raise its max_steps, or make the task smaller.`,
  )
}

function toOutcome(
  last: { readonly message: AssistantMessage } | undefined,
  finish: FinishReason | undefined,
  id: string,
): string | AgentError {
  if (finish === 'length')
    return new AgentError(
      'too_long',
      `The last message of "${id}" was cut at the limit of what the model writes at once, so there is no whole result. Make the task smaller, or choose another model.`,
    )
  if (finish === 'filtered')
    return new AgentError(
      'refused',
      `The provider of "${id}" kept a part of the last message back, so there is no whole result. Put the task in other words.`,
    )
  const text = last === undefined ? '' : textOf(last.message)
  if (finish === 'unable')
    return new AgentError(
      'refused',
      `"${id}" cannot do this task. Put it in words that it understands, or give the member a language model by its "model". What it said:\n\n${text}`,
    )
  return toResult(text, `"${id}"`)
}

function isLast(message: Message): message is AssistantMessage {
  return message.role === 'assistant' && toolCallsOf(message).length === 0
}

/** A result ends an attempt with the step that has it. So what stands last and is none is an answer that broke off: it is asked for again. */
function withoutCutAnswer(steps: readonly Message[]): readonly Message[] {
  const last = steps.at(-1)
  return last !== undefined && isLast(last) ? steps.slice(0, -1) : steps
}
