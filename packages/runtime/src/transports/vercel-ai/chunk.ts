import type { JsonObject } from '@quire/agent/json'
import type { ToolResult } from '@quire/agent/tool'
import type { Usage } from '../../contract.ts'

interface Tool {
  readonly toolCallId: string
  /** Its name and arguments are known when it is called, and not before. */
  readonly dynamic: true
}

/** Those chunks of the UI message stream, version 1, that we send. */
export type Chunk =
  | { readonly type: 'start'; readonly messageId: string }
  | { readonly type: 'start-step' | 'finish-step' }
  | { readonly type: 'text-start' | 'text-end'; readonly id: string }
  | { readonly type: 'text-delta'; readonly id: string; readonly delta: string }
  | (Tool & { readonly type: 'tool-input-start'; readonly toolName: string })
  | (Tool & { readonly type: 'tool-input-available'; readonly toolName: string; readonly input: JsonObject })
  | (Tool & { readonly type: 'tool-output-available'; readonly output: ToolResult })
  | (Tool & { readonly type: 'tool-output-error'; readonly errorText: string })
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly toolCallId: string }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'abort'; readonly reason: string }
  | {
      readonly type: 'finish'
      readonly finishReason: 'stop' | 'tool-calls' | 'error'
      readonly messageMetadata: { readonly conversation_id: string; readonly usage: Usage }
    }
