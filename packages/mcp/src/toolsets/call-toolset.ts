import { ProtocolError } from '@modelcontextprotocol/client'
import type { Redactor } from '@quire/kit/redact'
import type { Arguments } from '../connection/calls.ts'
import { ConnectionError, type ConnectionFault } from '../connection/errors.ts'
import { isRecord } from '../json.ts'
import { errorResult, type ModelToolResult } from './model-tool.ts'
import { type Thread, threadMeta } from './thread.ts'
import type { Toolsets } from './toolsets.ts'

interface ToolsetCall {
  readonly toolset: string
  readonly tool: string
  readonly args: Arguments
  readonly signal: AbortSignal
  readonly idempotencyKey?: string | undefined
  readonly thread?: Thread | undefined
}

interface CallDependencies {
  readonly toolsets: Pick<Toolsets, 'call'>
  readonly redactor: Pick<Redactor, 'text'>
}

const IDEMPOTENCY_KEY = 'quire/idempotency-key'
const LONGEST_REASON = 2_048

/** What a model can make of a failure that is not the tool's own. */
const ADVICE: Readonly<Record<ConnectionFault, string>> = Object.freeze({
  'not-ready': 'Nothing was done. It is being connected again: go on without it, or try once more later.',
  lost: 'Whether the call had an effect is not known: look before you call it again.',
  timeout: 'Part of it may have been done: look before you call it again.',
  aborted: 'It was told to stop.',
  refused: 'Calling it again with the same arguments is of no use.',
  'invalid-answer': 'Whether the call had an effect is not known.',
  closed: 'Nothing can be done with it any more.',
})

/** The result as the server gave it; what stood between us and the server is a result too, which tells the model. Rejects only when it was aborted. */
export async function callToolset(
  { toolsets, redactor }: CallDependencies,
  { toolset, tool, args, signal, idempotencyKey, thread }: ToolsetCall,
): Promise<ModelToolResult> {
  const meta = {
    ...(idempotencyKey !== undefined && { [IDEMPOTENCY_KEY]: idempotencyKey }),
    ...threadMeta(thread),
  }
  try {
    // A tool that reports progress is at work, however long it takes.
    const result: unknown = await toolsets.call(toolset, tool, args, {
      signal,
      resetTimeoutOnProgress: true,
      ...(Object.keys(meta).length > 0 && { meta }),
    })
    if (isToolResult(result)) return result
    return errorResult(
      `The tool "${tool}" of "${toolset}" answered in a shape that MCP does not know. ${ADVICE['invalid-answer']}`,
    )
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ConnectionError)
      return errorResult(`${redactor.text(error.message, LONGEST_REASON)} ${ADVICE[error.fault]}`)
    if (error instanceof ProtocolError)
      return errorResult(
        `The server "${toolset}" refused the call of "${tool}" (${error.code}): ${redactor.text(error.message, LONGEST_REASON)}`,
      )
    throw error
  }
}

/** Servers are free in what they send; whoever reads a result relies on this much. */
function isToolResult(value: unknown): value is ModelToolResult {
  return isRecord(value) && Array.isArray(value.content) && value.content.every(isContentBlock)
}

function isContentBlock(block: unknown): boolean {
  if (!isRecord(block)) return false
  if (block.type === 'text') return typeof block.text === 'string'
  if (block.type === 'image' || block.type === 'audio')
    return typeof block.data === 'string' && typeof block.mimeType === 'string'
  return block.type === 'resource_link' || (block.type === 'resource' && isRecord(block.resource))
}
