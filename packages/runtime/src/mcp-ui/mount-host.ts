import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { CallerError } from '@quire/kit/errors'
import { isVisibleTo } from '@quire/mcp/toolsets/tool-visibility'
import type { Toolsets } from '@quire/mcp/toolsets/toolsets'
import { Failure } from '../contract.ts'
import { text } from '../request-fields.ts'
import { body, INVALID, json, REFUSED, UNKNOWN, UNREADABLE } from '../routes/declare.ts'
import { UiResourceRead, UiToolCall, UiToolResult } from './contract.ts'
import { isUiUri } from './tool-ui.ts'
import { requireToolset, shown, toToolsetFailure } from './toolset-failure.ts'
import { readUiResource, type UiResources } from './ui-resource.ts'

export interface HostParts extends UiResources {
  readonly toolsets: UiResources['toolsets'] & Pick<Toolsets, 'tools' | 'call'>
}

const tags = ['mcp-ui']
const LONGEST_URI = 2_048
const LONGEST_TOOL_NAME = 1_024
const NOT_A_UI = 'must be the URI of a user interface: it begins with ui://'
const UNANSWERED = Object.freeze({
  502: json('The toolset answered with something that cannot be used', Failure),
  503: json('The toolset is not ready, or was lost in the middle', Failure),
  504: json('The toolset took too long', Failure),
})

/** What the page that shows a user interface asks for on behalf of it. */
export function mountHost(app: ServiceApp, root: string, parts: HostParts): void {
  const { toolsets, redactor } = parts

  const read = createRoute({
    tags,
    method: 'get',
    path: `${root}/toolsets/{toolset}/resources`,
    operationId: 'readUiResource',
    summary: 'Read a user interface of a toolset, as `resources/read` of MCP answers it',
    security: needs('agents:prompt'),
    request: {
      params: z.object({ toolset: z.string() }),
      query: z.object({ uri: text(LONGEST_URI).refine(isUiUri, NOT_A_UI) }),
    },
    responses: {
      ...REFUSED,
      ...INVALID,
      ...UNKNOWN,
      ...UNANSWERED,
      200: json('The user interface', UiResourceRead),
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
    security: needs('agents:prompt'),
    // Tools are named by others: a slash within a name is let through.
    'x-encoded-slash': true,
    request: {
      params: z.object({ toolset: z.string(), tool: text(LONGEST_TOOL_NAME) }),
      ...body(UiToolCall),
    },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...UNKNOWN,
      ...UNANSWERED,
      200: json('What the tool answered, as MCP has it', UiToolResult),
    },
  })
  app.openapi(call, async (c) => {
    const { toolset, tool } = c.req.valid('param')
    assertCallable(toolset, tool)
    const args = c.req.valid('json').arguments ?? {}
    try {
      return c.json(await toolsets.call(toolset, tool, args, { signal: c.req.raw.signal }), 200)
    } catch (error) {
      throw toToolsetFailure(error, toolset, redactor)
    }
  })

  function assertCallable(toolset: string, tool: string): void {
    requireToolset(toolsets, toolset, redactor)
    const found = toolsets.tools({ toolsets: [toolset] }).find((entry) => entry.tool.name === tool)
    if (!found)
      throw new CallerError('not_found', `The toolset ${shown(toolset)} has no tool ${shown(tool)}.`)
    if (!isVisibleTo(found.tool, 'app'))
      throw new CallerError(
        'scope',
        `The tool ${shown(tool)} of ${shown(toolset)} is not for user interfaces.`,
      )
  }
}
