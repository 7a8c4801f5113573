import type { ToolCall } from '../message.ts'
import type { Tool, ToolResult } from '../tool.ts'
import { CANCELLED, NEVER_CALLED, noToolResult, threw, timedOut } from './answers.ts'
import { boundResult } from './bound-result.ts'

const DEFAULT_TIMEOUT_MS = 120_000
/** A timer set beyond it fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Never rejects, and answers when the run is aborted or the tool's time is over even where the tool heeds neither. */
export function callTool(tool: Tool, call: ToolCall, signal: AbortSignal): Promise<ToolResult> {
  if (signal.aborted) return Promise.resolve(NEVER_CALLED)
  const timeoutMs = Math.min(tool.timeoutMs ?? DEFAULT_TIMEOUT_MS, LONGEST_TIMER_MS)
  const control = new AbortController()

  return new Promise((resolve) => {
    const timer = setTimeout(() => giveUp(timedOut(call.name, timeoutMs)), timeoutMs)
    const onAbort = (): void => giveUp(CANCELLED)
    signal.addEventListener('abort', onAbort, { once: true })
    execute(tool, call, control.signal).then(end, (error: unknown) => end(threw(call.name, error)))

    function giveUp(result: ToolResult): void {
      end(result)
      control.abort(signal.reason)
    }

    function end(result: ToolResult): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(result)
    }
  })
}

async function execute(tool: Tool, { id, name, args }: ToolCall, signal: AbortSignal): Promise<ToolResult> {
  const result = await tool.execute(args, { callId: id, signal })
  return Array.isArray(result?.content) ? boundResult(result) : noToolResult(name)
}
