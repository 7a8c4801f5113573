import { AgentError } from '@quire/agent/agent-error'
import type { Compaction } from '@quire/agent/compaction'
import type { Message } from '@quire/agent/message'
import type { Model, ModelEvent, ModelRequest } from '@quire/agent/model'
import { addUsage, NO_USAGE, type Usage } from '@quire/agent/usage'

/** Each time at least a fifth gives way; where nobody knows the window, once may not be enough. */
const MOST_REFUSALS = 3

interface Sent {
  /** So many messages of the run are in it. */
  readonly count: number
  readonly messages: readonly Message[]
  readonly promptTokens?: number
}

/**
 * The model of one run, in which each request goes on with the messages of the one before. Where these outgrow its window, older ones give way. The
 * first, which has the task, stays whole. What a summary took is part of the usage of the answer.
 */
export function createCompactedModel(model: Model, compaction: Compaction): Model {
  let sent: Sent = { count: 0, messages: [] }

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const opening = request.messages.slice(0, 1)
    const steps = request.messages.slice(1)
    let messages: readonly Message[] = [...sent.messages, ...steps.slice(sent.count)]
    let summaries = NO_USAGE
    await shorten(false)
    for (let refusals = 0; ; refusals += 1) {
      let hasAnswered = false
      try {
        for await (const event of model.stream({ ...request, messages: [...opening, ...messages] })) {
          hasAnswered = true
          if (event.type === 'finish') yield finish(event)
          else yield event
        }
        return
      } catch (error) {
        const isMendable = isTooLong(error) && !hasAnswered && refusals < MOST_REFUSALS
        if (!isMendable || !(await shorten(true))) throw error
      }
    }

    async function shorten(isRefused: boolean): Promise<boolean> {
      const { system = '', tools, signal } = request
      const { promptTokens } = sent
      const compacted = await compaction.compact({
        ...{ model, messages, tools, signal, isTooLong: isRefused },
        // It is sent each time, and is no part of what may give way.
        system: system + opening.map(textOf).join(''),
        last: promptTokens === undefined ? undefined : { messages: sent.messages, promptTokens },
      })
      if (compacted === undefined) return false
      messages = compacted.messages
      summaries = addUsage(summaries, compacted.usage ?? NO_USAGE)
      return true
    }

    function finish(event: ModelEvent & { type: 'finish' }): ModelEvent {
      const { promptTokens } = event.usage
      sent = { count: steps.length, messages, ...(promptTokens > 0 && { promptTokens }) }
      return { ...event, usage: addUsage(event.usage, summaries) }
    }
  }

  const { id, contextWindow } = model
  return Object.freeze({ id, contextWindow, cost: (usage: Usage) => model.cost(usage), stream })
}

function textOf(message: Message): string {
  return message.role === 'user' ? message.text : ''
}

function isTooLong(error: unknown): boolean {
  return error instanceof AgentError && error.fault === 'too_long'
}
