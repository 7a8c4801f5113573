import type { ToolResult } from '@quire/agent/tool'
import { toUsage } from '../../routes/conversation-view.ts'
import type { Run } from '../run.ts'
import { failureOf } from '../turn-failure.ts'
import type { TurnEnd, TurnStep } from '../turn-steps.ts'
import type { Chunk } from './chunk.ts'

export interface PlacedChunk {
  readonly chunk: Chunk
  readonly place?: string | undefined
}

/** Chunks of the UI message stream, version 1. One turn is one message, and each message of the model is one step of it. */
export async function* toChunks(steps: AsyncIterable<TurnStep>, { turn }: Run): AsyncGenerator<PlacedChunk> {
  let stepId: string | undefined
  yield { chunk: { type: 'start', messageId: turn.id } }
  for await (const step of steps) {
    const isOfModel = step.type === 'text_start' || step.type === 'tool_call'
    if (stepId !== undefined && (step.type === 'end' || (isOfModel && step.messageId !== stepId))) {
      yield { chunk: { type: 'finish-step' } }
      stepId = undefined
    }
    if (isOfModel && stepId === undefined) {
      yield { chunk: { type: 'start-step' } }
      stepId = step.messageId
    }
    if (step.type === 'end')
      for (const chunk of lastOf(step, turn.conversationId)) yield { chunk, place: step.place }
    else yield* chunksOf(step)
  }
}

function* chunksOf(step: Exclude<TurnStep, TurnEnd>): Generator<PlacedChunk> {
  switch (step.type) {
    case 'text_start':
      yield { chunk: { type: 'text-start', id: step.messageId } }
      return
    case 'text':
      yield { chunk: { type: 'text-delta', id: step.messageId, delta: step.text }, place: step.place }
      return
    case 'text_end':
      yield { chunk: { type: 'text-end', id: step.messageId } }
      return
    case 'tool_call': {
      const tool = { toolCallId: step.call.id, toolName: step.call.name, dynamic: true } as const
      yield { chunk: { type: 'tool-input-start', ...tool } }
      yield { chunk: { type: 'tool-input-available', ...tool, input: step.call.args }, place: step.place }
      return
    }
    case 'tool_result': {
      const tool = { toolCallId: step.callId, dynamic: true } as const
      yield step.result.isError
        ? { chunk: { type: 'tool-output-error', ...tool, errorText: textOf(step.result) }, place: step.place }
        : { chunk: { type: 'tool-output-available', ...tool, output: step.result }, place: step.place }
      return
    }
    case 'approval':
      yield {
        chunk: { type: 'tool-approval-request', approvalId: step.call.id, toolCallId: step.call.id },
        place: step.place,
      }
  }
}

const FINISH_REASONS = Object.freeze({
  complete: 'stop',
  waiting: 'tool-calls',
  failed: 'error',
  interrupted: 'error',
} as const)

function* lastOf({ result }: TurnEnd, conversationId: string): Generator<Chunk> {
  const { status } = result
  if (status === 'cancelled') {
    yield { type: 'abort', reason: 'The turn was cancelled.' }
    return
  }
  const failure = failureOf(result)
  if (failure) yield { type: 'error', errorText: failure.detail }
  yield {
    type: 'finish',
    finishReason: FINISH_REASONS[status],
    messageMetadata: { conversation_id: conversationId, usage: toUsage(result.usage) },
  }
}

function textOf({ content }: ToolResult): string {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return texts.join('\n') || 'The tool failed, and did not say why.'
}
