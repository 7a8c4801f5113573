import { AgentError } from '@quire/agent/agent-error'
import { type AssistantMessage, textOf } from '@quire/agent/message'
import { cutText, toPlainText } from './data-block.ts'
import type { Step } from './members.ts'

/** UTF-8. Others are to read it, in prompts too. */
const MOST_BYTES = 1024 * 1024
const MOST_KEPT = 64_000

/** The text as it can be stored, or why it is no result. */
export function toResult(text: string, who: string): string | AgentError {
  const result = toPlainText(text)
  if (result.trim() === '')
    return new AgentError('garbled', `${who} came to an end without a word of a result.`)
  const bytes = Buffer.byteLength(result)
  if (bytes <= MOST_BYTES) return result
  return new AgentError(
    'too_long',
    `The result of ${who} has ${bytes} bytes, and one may have ${MOST_BYTES}. Ask for less, or have it written to a file by a tool.`,
  )
}

/** What was said is kept with what it cost, but not at any length. */
export function toFailedStep({
  message,
  spent,
}: {
  readonly message: AssistantMessage
  readonly spent: Step['spent']
}): Step {
  const text = cutText(toPlainText(textOf(message)), MOST_KEPT)
  return { message: { role: 'assistant', parts: [{ type: 'text', text }] }, spent }
}
