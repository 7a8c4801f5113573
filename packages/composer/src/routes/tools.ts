import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { ToolEntry } from '../catalog/composed-catalog.ts'
import { ComposerError } from '../composer-error.ts'
import { ToolApproval, ToolDetail, ToolDone, ToolList } from '../contract.ts'
import { text } from '../request-fields.ts'
import { json, REFUSED, UNKNOWN, UNREADABLE } from './declare.ts'
import { requireTool } from './find-tool.ts'
import { quoteName } from './known-names.ts'
import { toTool, toToolDetail } from './offers.ts'
import { pageQuery } from './page.ts'
import type { ComposerParts } from './parts.ts'
import { recorded } from './recorded.ts'

type ToolParts = Pick<ComposerParts, 'catalog' | 'supervisor' | 'viewOf' | 'record'>

const tags = ['tools']
const LONGEST_SEARCH = 256

/** Tools are named by others: alone here a slash within a name is let through. */
export const onTool = {
  tags,
  'x-encoded-slash': true,
  request: { params: z.object({ tool_name: text(1024) }) },
}

export function mountTools(app: ServiceApp, prefix: string, parts: ToolParts): void {
  const { catalog, viewOf } = parts

  const list = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/tools`,
    operationId: 'listTools',
    summary: 'The tools of all running servers',
    security: needs('tools:list'),
    request: {
      query: z.object({
        server: text(LONGEST_SEARCH, 0).optional(),
        search: text(LONGEST_SEARCH, 0).optional(),
        ...pageQuery,
      }),
    },
    responses: { ...REFUSED, 200: json('The tools', ToolList) },
  })
  app.openapi(list, (c) => {
    const query = c.req.valid('query')
    const { tools, total } = catalog.search(query, viewOf(c.get('principal')))
    return c.json({ tools: tools.map(toTool), total, offset: query.offset, limit: query.limit }, 200)
  })

  const one = createRoute({
    ...onTool,
    method: 'get',
    path: `${prefix}/tools/{tool_name}`,
    operationId: 'getTool',
    summary: 'One tool, by `server:tool`, its name on /mcp or an alias',
    security: needs('tools:list'),
    responses: {
      ...REFUSED,
      ...UNKNOWN,
      200: json('The tool; of one that has changed, what was approved too', ToolDetail),
    },
  })
  app.openapi(one, (c) =>
    c.json(toToolDetail(requireTool(parts, c.req.valid('param').tool_name, c.get('principal'))), 200),
  )

  const approve = createRoute({
    ...onTool,
    method: 'post',
    path: `${prefix}/tools/{tool_name}/approve`,
    operationId: 'approveTool',
    summary: 'Take the definition of a tool that somebody has looked at for good',
    security: needs('servers:manage'),
    // Not `required`: one that is missing is refused below, with a sentence that says what to send.
    request: { ...onTool.request, body: { content: { 'application/json': { schema: ToolApproval } } } },
    responses: { ...REFUSED, ...UNREADABLE, ...UNKNOWN, 200: json('It may be called', ToolDone) },
  })
  app.openapi(approve, async (c) => {
    const name = c.req.valid('param').tool_name
    const { hash } = c.req.valid('json')
    const deed = { method: 'tools/approve', target: name }
    const tool = await recorded(c, parts.record, deed, async (about) => {
      const principal = c.get('principal')
      const found = requireTool(parts, name, principal)
      about.target = found.id
      about.server = found.server
      if (hash === undefined) throw hashMissing(found)
      if (!catalog.approve(found.id, hash)) throw hashStale(found)
      return requireTool(parts, found.id, principal)
    })
    return c.json({ message: `The tool ${quoteName(tool.id)} may be called.`, tool: toTool(tool) }, 200)
  })
}

function hashMissing({ id, hash }: ToolEntry): ComposerError {
  return new ComposerError(
    'VALIDATION_ERROR',
    `The tool ${quoteName(id)} was not approved. Say which definition you have looked at; the present one is {"hash": "${hash}"}.`,
  )
}

/** A server may change a tool while somebody looks at it: only what was looked at is approved. */
function hashStale({ id }: ToolEntry): ComposerError {
  return new ComposerError(
    'VALIDATION_ERROR',
    `The tool ${quoteName(id)} was not approved: its definition is not the one with this hash, or no longer. Look at it again with GET /tools/${encodeURIComponent(id)}.`,
  )
}
