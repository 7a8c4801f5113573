import { RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server'
import { isJsonObject } from '@quire/agent/json'
import type { ToolResult } from '@quire/agent/tool'
import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import { type NamedTool, namedTools } from '@quire/mcp/toolsets/named-tools'
import type { Toolsets } from '@quire/mcp/toolsets/toolsets'
import type { Frame } from '../turns/frame.ts'
import type { Turn } from '../turns/turns.ts'
import type { McpUiEvent } from './contract.ts'
import { isUiUri, uiResourceOf } from './tool-ui.ts'
import { readUiResource, type UiResource, type UiResources } from './ui-resource.ts'

export interface TurnEventsParts extends UiResources {
  readonly toolsets: UiResources['toolsets'] & Pick<Toolsets, 'tools'>
  readonly logger: Logger
}

export interface TurnEventsOptions {
  /** Otherwise a page is named, and read by whoever wants it. */
  readonly isEmbedding: boolean
  readonly signal: AbortSignal
}

type ResourceEvent = Extract<McpUiEvent, { type: 'resource' }>
type Page = Pick<ResourceEvent, 'resource' | 'error'>
type ToolCallFrame = Extract<Frame, { type: 'tool_call' }>

/** A turn in the words of MCP-UI. Both the stream and the complete answer are made of this. */
export async function* turnEvents(
  turn: Turn,
  parts: TurnEventsParts,
  { isEmbedding, signal }: TurnEventsOptions,
): AsyncGenerator<McpUiEvent> {
  const calls = new Map<string, ToolCallFrame & { readonly tool?: NamedTool | undefined }>()
  const pages = new Map<string, Promise<Page>>()
  let hasFailed = false

  function begin(call: ToolCallFrame): void {
    const tool = namedTools(parts.toolsets, turn.agent.mcpToolsets).find(({ name }) => name === call.name)
    calls.set(call.id, { ...call, tool })
    const uri = tool && uiResourceOf(tool.tool)
    if (!uri || !isEmbedding) return
    const key = keyOf(tool, uri)
    // Read while the tool is at work.
    if (!pages.has(key)) pages.set(key, readPage(tool.toolset, uri))
  }

  async function readPage(toolset: string, uri: string): Promise<Page> {
    try {
      return { resource: await readUiResource(parts, { toolset, uri, signal }) }
    } catch (error) {
      parts.logger.warn({ err: error, toolset, uri }, 'the user interface of a tool could not be read')
      const detail = error instanceof CallerError ? error.message : 'It could not be read.'
      return { ...nameOnly(uri), error: detail }
    }
  }

  async function* resourcesOf(callId: string, result: ToolResult): AsyncGenerator<ResourceEvent> {
    const tool = calls.get(callId)?.tool
    const about = { tool_call_id: callId, ...(tool && { toolset: tool.toolset }) }
    const uri = tool && uiResourceOf(tool.tool)
    if (uri) {
      const key = keyOf(tool, uri)
      const page = (await pages.get(key)) ?? nameOnly(uri)
      // The page itself comes once: it is the same for every call.
      pages.set(key, Promise.resolve(nameOnly(uri)))
      yield { type: 'resource', ...page, ...about }
    }
    for (const resource of embeddedPages(result)) yield { type: 'resource', resource, ...about }
  }

  yield { type: 'start', session_id: turn.conversationId }
  for await (const { frame } of turn.frames({ signal })) {
    if (frame.type === 'text') {
      yield { type: 'delta', delta: frame.content }
    } else if (frame.type === 'tool_call') {
      begin(frame)
      yield { type: 'tool_call', tool_call: toCall(frame) }
    } else if (frame.type === 'tool_result') {
      const { tool_call_id, result } = frame
      const name = calls.get(tool_call_id)?.name
      yield {
        type: 'tool_result',
        tool_result: { tool_call_id, ...(name && { name }), result: { ...result } },
      }
      yield* resourcesOf(tool_call_id, result)
    } else if (frame.type === 'approval_request') {
      yield { type: 'approval_request', approval_request: toCall(frame) }
    } else if (frame.type === 'error') {
      hasFailed = true
      yield { type: 'error', error: frame.detail, status_code: frame.status_code }
    } else if (frame.type === 'done' && !hasFailed) {
      yield { type: 'complete', session_id: turn.conversationId }
    }
  }
}

function keyOf({ toolset }: NamedTool, uri: string): string {
  return JSON.stringify([toolset, uri])
}

function toCall({ id, name, args }: Pick<ToolCallFrame, 'id' | 'name' | 'args'>) {
  return { id, name, args: { ...args } }
}

function nameOnly(uri: string): Page {
  return { resource: { uri, mimeType: RESOURCE_MIME_TYPE } }
}

function embeddedPages({ content }: ToolResult): readonly UiResource[] {
  return content.flatMap((block) =>
    block.type === 'resource' && isUiResource(block.resource) ? [block.resource] : [],
  )
}

function isUiResource(resource: unknown): resource is UiResource {
  return isJsonObject(resource) && isUiUri(resource.uri)
}
