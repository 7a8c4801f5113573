import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { isRecord } from '@quire/mcp/json'
import { blockedTool } from '../catalog/blocked-tool.ts'
import type { ToolEntry } from '../catalog/composed-catalog.ts'
import { ComposerError } from '../composer-error.ts'
import { Arguments, Invocation } from '../contract.ts'
import { callServer, WRAPPED, writeAnswer } from './call-server.ts'
import { body, REFUSED, UNANSWERED, UNKNOWN, UNREADABLE, written } from './declare.ts'
import { awaitTool } from './find-tool.ts'
import { quoteName } from './known-names.ts'
import type { ComposerParts } from './parts.ts'
import { recorded } from './recorded.ts'
import { onTool } from './tools.ts'

type InvokeParts = Pick<
  ComposerParts,
  'catalog' | 'supervisor' | 'calls' | 'redactor' | 'viewOf' | 'limit' | 'checkArguments' | 'record'
>

export function mountInvoke(app: ServiceApp, prefix: string, parts: InvokeParts): void {
  const invoke = createRoute({
    ...onTool,
    method: 'post',
    path: `${prefix}/tools/{tool_name}/invoke`,
    operationId: 'invokeTool',
    summary: 'Call a tool; the body is the object of its arguments',
    security: needs('tools:invoke'),
    request: { ...onTool.request, ...body(Arguments) },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...UNKNOWN,
      ...UNANSWERED,
      200: written('What the tool answered', Invocation),
    },
  })
  app.openapi(invoke, (c) => {
    const { tool_name } = c.req.valid('param')
    return recorded(c, parts.record, { method: 'tools/call', target: tool_name }, async (deed) => {
      if (c.req.header('content-type') === undefined) throw withoutBody()
      const args = c.req.valid('json')
      const tool = await awaitTool(parts, tool_name, c.get('principal'), c.req.raw.signal)
      deed.target = tool.id
      deed.server = tool.server
      if (tool.trust === 'blocked') throw blockedTool(tool)
      const faults = parts.checkArguments(tool, args)
      if (faults.length > 0) throw misfit(tool, args, faults)
      const answer = await callServer(c, parts, deed, { name: tool.item.name, arguments: args })
      return writeAnswer(answer, `,"is_error":${answer.isToolError}`)
    })
  })
}

function withoutBody(): ComposerError {
  return new ComposerError(
    'VALIDATION_ERROR',
    'Send the arguments of the tool as a JSON object: {} where there are none.',
  )
}

function misfit(
  tool: ToolEntry,
  args: Arguments,
  errors: ReturnType<InvokeParts['checkArguments']>,
): ComposerError {
  const [first] = errors
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new ComposerError(
    'VALIDATION_ERROR',
    `The arguments do not fit the tool ${quoteName(tool.id)}. ${first?.path}: ${first?.message}${rest}${isRecord(args.arguments) ? `. ${WRAPPED}` : ''}`,
    { errors },
  )
}
