import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { type Thread, threadOf } from '@quire/mcp/toolsets/thread'
import { authorOf } from '../live/presence.ts'
import { ToolError } from '../tool-error.ts'
import type { ToolContext } from '../tools/tool-context.ts'
import type { ToolBox } from './tool-box.ts'

interface RequestPart extends Pick<ToolContext, 'signal' | 'progress' | 'author'> {
  /** Which of the lines of work that come through this client. */
  readonly thread: Thread | undefined
}

export interface McpServerOptions {
  readonly version: string
  readonly toolBox: ToolBox
  /** What a request works with; `view` is the one of the client that this server object serves, or of the thread that it names. */
  contextFor(request: RequestPart): Promise<ToolContext>
}

const INSTRUCTIONS = `Works in notebooks on a Jupyter server. Open one with use_notebook, read it with read_notebook, then edit cells or execute them: \
code runs in the notebook's own kernel on that server, and outputs are written into the notebook. Cells are named by index or, safer, by cell_id. \
Somebody else may work in the same notebook: when a cell was changed since you read it, an edit is refused and tells you what changed.`

/** One protocol object. What it offers is shared: a stateless client gets a new one with every request. */
export function createMcpServer({ version, toolBox, contextFor }: McpServerOptions): Server {
  const server = new Server(
    { name: 'quire-notebook', title: 'Quire notebook', version },
    {
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: true, subscribe: true },
        completions: {},
      },
      instructions: INSTRUCTIONS,
    },
  )
  function contextOf({ mcpReq }: ServerContext): Promise<ToolContext> {
    const thread = threadOf(mcpReq._meta)
    return contextFor({
      signal: mcpReq.signal,
      progress: progressOf(mcpReq),
      // Of the session, and without one of the request.
      author: authorOf(
        thread?.name === undefined ? server.getClientVersion() : { name: '', title: thread.name },
      ),
      thread,
    })
  }

  server.setRequestHandler('tools/list', () => ({ tools: [...toolBox.list()] }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    if (!toolBox.has(params.name))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, toolBox.whyNot(params.name))
    return toolBox.call(params.name, params.arguments, await contextOf(context))
  })
  // What the first answers do not need is loaded when it is asked for: a client waits for `tools/list`.
  server.setRequestHandler('prompts/list', async () => {
    const { citePrompt } = await import('../prompts/jupyter-cite.ts')
    return { prompts: [citePrompt.definition] }
  })
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const { citePrompt } = await import('../prompts/jupyter-cite.ts')
    if (params.name !== citePrompt.definition.name)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${params.name}".`)
    return asProtocolError(async () => citePrompt.get(params.arguments ?? {}, await contextOf(context)))
  })
  server.setRequestHandler('resources/list', async (_request, context) => {
    const { listResources } = await import('../resources/list-resources.ts')
    return { resources: listResources((await contextOf(context)).view) }
  })
  server.setRequestHandler('resources/templates/list', async () => {
    const { resourceTemplates } = await import('../resources/resource-templates.ts')
    return { resourceTemplates: [...resourceTemplates] }
  })
  server.setRequestHandler('resources/read', async ({ params }, context) =>
    read(params.uri, await contextOf(context)),
  )
  // Whoever is told of changes is known to the transport; here only the address is looked at.
  server.setRequestHandler('resources/subscribe', async ({ params }, context) => {
    await read(params.uri, await contextOf(context))
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('completion/complete', async ({ params }, context) => {
    const { complete } = await import('../completions.ts')
    return asProtocolError(async () => complete(params, await contextOf(context)))
  })
  return server
}

async function read(uri: string, context: ToolContext): Promise<ReadResourceResult> {
  const { readResource } = await import('../resources/read-resource.ts')
  return asProtocolError(() => readResource(uri, context), uri)
}

/** Outside of tools a failure is an error of the protocol. */
async function asProtocolError<Result>(run: () => Promise<Result>, uri?: string): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    if (uri !== undefined && error.code === 'not_found') throw new ResourceNotFoundError(uri, error.message)
    const isCallers = ['invalid_argument', 'not_found', 'conflict', 'forbidden'].includes(error.code)
    throw new ProtocolError(
      isCallers ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
      error.message,
    )
  }
}

/** A client that gave no token does not want to be told. One that has gone cannot be. */
function progressOf({ _meta, notify }: ServerContext['mcpReq']): ToolContext['progress'] {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return () => undefined
  return ({ progress, total, message }) => {
    notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message, ...(total !== undefined && { total }) },
    }).catch(() => undefined)
  }
}
