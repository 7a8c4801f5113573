import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { text } from '@quire/kit/app/request-fields'
import { needs } from '@quire/kit/app/route-table'
import { threadMeta, toThread } from '@quire/mcp/toolsets/thread'
import type { Toolsets } from '@quire/mcp/toolsets/toolsets'
import { body, failure, INVALID, json, REFUSED, UNREADABLE } from '../routes/declare.ts'
import { findAppTool } from './app-tool.ts'
import { LONGEST_TOOL_NAME, UiResourceRead, UiToolCall, UiToolResult } from './contract.ts'
import { assertMayCall, type CallAccess } from './may-call.ts'
import { isUiUri } from './tool-ui.ts'
import { requireToolset, toToolsetFailure } from './toolset-failure.ts'
import { readUiResource, type UiResources } from './ui-resource.ts'

export interface HostParts extends UiResources, CallAccess {
  readonly toolsets: UiResources['toolsets'] & Pick<Toolsets, 'names' | 'tools' | 'call'>
}

const tags = ['mcp-ui']
const LONGEST_URI = 2_048
const NOT_A_UI = 'must be the URI of a user interface: it begins with ui://'
const UNANSWERED = Object.freeze({
  404: failure(
    404,
    'There is no such toolset, tool or user interface.',
    'There is no toolset "nothing". GET /api/v1/configure/mcp-toolsets-status lists them.',
  ),
  502: failure(
    502,
    'The toolset answered with something that cannot be used.',
    'The toolset "app" refused it (-32603): The server is tired.',
  ),
  503: failure(
    503,
    'The toolset is not ready, or was lost in the middle.',
    'The toolset "app" is still starting.',
  ),
  504: failure(504, 'The toolset took too long.', 'The MCP server "app" did not answer within 300 seconds.'),
})
const toolsetParams = z.object({
  toolset: z.string().describe('The name of the toolset.').openapi({ example: 'app' }),
})

/** What the page that shows a user interface asks for on behalf of it. */
export function mountHost(app: ServiceApp, root: string, parts: HostParts): void {
  const { toolsets, redactor } = parts

  const read = createRoute({
    tags,
    method: 'get',
    path: `${root}/toolsets/{toolset}/resources`,
    operationId: 'readUiResource',
    summary: 'Read a user interface of a toolset',
    description: 'As `resources/read` of MCP answers it. Only URIs that begin with `ui://` are read.',
    security: needs('agents:prompt'),
    request: {
      params: toolsetParams,
      query: z.object({
        uri: text(LONGEST_URI)
          .refine(isUiUri, NOT_A_UI)
          .describe('The URI of the user interface.')
          .openapi({ example: 'ui://weather/view.html' }),
      }),
    },
    responses: {
      ...REFUSED,
      ...INVALID,
      ...UNANSWERED,
      200: json('The user interface.', UiResourceRead),
    },
  })
  app.openapi(read, async (c) => {
    const { toolset } = c.req.valid('param')
    const { uri } = c.req.valid('query')
    const page = await readUiResource(parts, { toolset, uri, signal: c.req.raw.signal })
    return c.json(UiResourceRead.parse({ contents: [page] }), 200)
  })

  const call = createRoute({
    tags,
    method: 'post',
    path: `${root}/toolsets/{toolset}/tools/{tool}/call`,
    operationId: 'callUiTool',
    summary: 'Call a tool for a user interface of the same toolset',
    description:
      'What a page asks its host for. 403: the tool is not for user interfaces, its server has none, or it is not the server of the tool `shown_by`; or no agent of your conversations has the toolset; or a person decides on each call of its tools. A slash in the name of a tool is sent as `%2F`.',
    security: needs('agents:prompt'),
    // Tools are named by others: a slash within a name is let through.
    'x-encoded-slash': true,
    request: {
      params: toolsetParams.extend({
        tool: text(LONGEST_TOOL_NAME)
          .describe('The name of the tool, without that of the toolset: as its own server calls it.')
          .openapi({ example: 'weather' }),
      }),
      ...body(UiToolCall),
    },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...UNANSWERED,
      200: json('What the tool answered.', UiToolResult),
    },
  })
  app.openapi(call, async (c) => {
    const { toolset, tool } = c.req.valid('param')
    const { arguments: args = {}, session_id, shown_by } = c.req.valid('json')
    requireToolset(toolsets, toolset, redactor)
    const found = findAppTool(toolsets, { toolset, tool, shownBy: shown_by })
    await assertMayCall(parts, {
      owner: c.get('principal').subject,
      toolset,
      toolName: found.name,
      conversationId: session_id ?? undefined,
    })
    try {
      const { signal } = c.req.raw
      const meta = session_id ? threadMeta(toThread(['conversation', session_id])) : {}
      return c.json(await toolsets.call(toolset, found.tool.name, args, { signal, meta }), 200)
    } catch (error) {
      throw toToolsetFailure(error, toolset, redactor)
    }
  })
}
