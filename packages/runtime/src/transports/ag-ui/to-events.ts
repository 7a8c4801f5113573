import {
  type AGUIEvent,
  type ContentPart,
  EventType,
  type Interrupt,
  PROTOCOL_VERSION,
  type RunFinishedOutcome,
} from '@ag-ui/core'
import type { ToolCall } from '@quire/agent/message'
import type { ToolResult } from '@quire/agent/tool'
import type { Run } from '../run.ts'
import { failureOf } from '../turn-failure.ts'
import type { TurnEnd, TurnStep } from '../turn-steps.ts'
import { toUsage } from './to-usage.ts'

export interface RunIds {
  readonly threadId: string
  readonly runId: string
}

export interface PlacedEvent {
  readonly event: AGUIEvent
  readonly place?: string | undefined
}

/** Events of AG-UI 1.0: the first opens the run, the last closes it. */
export async function* toEvents(
  steps: AsyncIterable<TurnStep>,
  run: Run,
  ids: RunIds,
): AsyncGenerator<PlacedEvent> {
  yield { event: { type: EventType.RUN_STARTED, ...ids, protocolVersion: PROTOCOL_VERSION } }
  for await (const step of steps)
    if (step.type === 'end') yield { event: toLast(step, run, ids), place: step.place }
    else yield* eventsOf(step)
}

function* eventsOf(step: Exclude<TurnStep, TurnEnd>): Generator<PlacedEvent> {
  switch (step.type) {
    case 'text_start':
      yield { event: { type: EventType.TEXT_MESSAGE_START, messageId: step.messageId, role: 'assistant' } }
      return
    case 'text':
      yield {
        event: { type: EventType.TEXT_MESSAGE_CONTENT, messageId: step.messageId, delta: step.text },
        place: step.place,
      }
      return
    case 'text_end':
      yield { event: { type: EventType.TEXT_MESSAGE_END, messageId: step.messageId } }
      return
    case 'tool_call': {
      const toolCallId = step.call.id
      const { name: toolCallName, args } = step.call
      yield {
        event: { type: EventType.TOOL_CALL_START, toolCallId, toolCallName, parentMessageId: step.messageId },
      }
      yield { event: { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: JSON.stringify(args) } }
      yield { event: { type: EventType.TOOL_CALL_END, toolCallId }, place: step.place }
      return
    }
    case 'tool_result':
      yield {
        event: {
          type: EventType.TOOL_CALL_RESULT,
          messageId: step.messageId,
          toolCallId: step.callId,
          content: toContent(step.result),
          role: 'tool',
          ...(step.result.isError && { metadata: { isError: true } }),
        },
        place: step.place,
      }
      return
    case 'approval':
      // An interrupt is part of the end of a run.
      return
  }
}

function toLast({ result, pending }: TurnEnd, { turn, before }: Run, ids: RunIds): AGUIEvent {
  const usage = [toUsage(turn.agent.model, result.usage, before?.usage)]
  const failure = failureOf(result)
  return failure
    ? { type: EventType.RUN_ERROR, message: failure.detail, code: String(failure.statusCode), usage }
    : { type: EventType.RUN_FINISHED, ...ids, outcome: outcomeOf(result.status, pending), usage }
}

function outcomeOf(status: TurnEnd['result']['status'], pending: readonly ToolCall[]): RunFinishedOutcome {
  if (status === 'waiting') return { type: 'interrupt', interrupts: pending.map(toInterrupt) }
  return { type: status === 'cancelled' ? 'cancelled' : 'success' }
}

const RESPONSE_SCHEMA = Object.freeze({
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    args: { type: 'object', description: 'In place of the arguments of the model' },
    reason: { type: 'string', description: 'Told to the model where the call is refused' },
  },
  required: ['approved'],
})

function toInterrupt({ id, name, args }: ToolCall): Interrupt {
  return {
    id,
    reason: 'tool_call',
    message: `The agent wants to call the tool "${name}". Is it to be called?`,
    toolCallId: id,
    responseSchema: RESPONSE_SCHEMA,
    metadata: { name, args },
  }
}

/** Plain text where that is all; images and sounds as parts. */
function toContent({ content, structuredContent }: ToolResult): string | ContentPart[] {
  const parts = content.map((block): ContentPart => {
    if (block.type === 'image' || block.type === 'audio')
      return { type: block.type, source: { type: 'data', value: block.data, mimeType: block.mimeType } }
    return { type: 'text', text: block.type === 'text' ? block.text : JSON.stringify(block) }
  })
  if (parts.length === 0) return structuredContent ? JSON.stringify(structuredContent) : ''
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n') : parts
}
