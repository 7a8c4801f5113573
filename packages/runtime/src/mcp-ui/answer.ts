import type { z } from 'zod'
import type { McpUiAnswer, McpUiEvent } from './contract.ts'

type Content = z.infer<typeof McpUiAnswer>['content']

/** The complete answer to a prompt, in the order in which it came; undefined where it did not come to its end. */
export async function toContent(events: AsyncIterable<McpUiEvent>): Promise<Content | undefined> {
  const content: Content = []
  let isComplete = false
  for await (const event of events) {
    const last = content.at(-1)
    if (event.type === 'delta' && last?.type === 'text') last.text += event.delta
    else if (event.type === 'delta') content.push({ type: 'text', text: event.delta })
    else if (event.type === 'tool_result') content.push({ type: 'tool_result', ...event.tool_result })
    else if (event.type === 'resource') content.push(event)
    else if (event.type === 'approval_request')
      content.push({ type: 'approval_request', ...event.approval_request })
    else if (event.type === 'complete') isComplete = true
  }
  return isComplete ? content : undefined
}
