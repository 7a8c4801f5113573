import type { Principal } from '@quire/kit/auth/principal'
import type { ChangeNotifier } from '@quire/mcp/serving/change-notifier'
import type { ServingContext } from '@quire/mcp/serving/factory'
import type { IncomingMessage } from '@quire/mcp/serving/mount'
import type { WebSocket } from 'ws'
import type { NotebookConfig } from '../config.ts'
import type { ConnectionTargets } from '../connection-targets.ts'
import { isRecord } from '../document/json.ts'
import { createAuditLog } from '../hooks/audit.ts'
import { createHooks } from '../hooks/hooks.ts'
import { traceWith } from '../hooks/telemetry.ts'
import { createKeptOutputs } from '../outputs/kept-outputs.ts'
import { createPathFence } from '../path-fence.ts'
import { connectToJupyter } from '../tools/connect-to-jupyter.ts'
import { allTools } from '../tools/registry.ts'
import type { ToolContext } from '../tools/tool-context.ts'
import { watchNotebooks } from './change-watch.ts'
import { createConnection } from './connection.ts'
import { createMcpServer } from './mcp-server.ts'
import { createToolBox } from './tool-box.ts'
import { createViews } from './views.ts'
import type { KernelStatus, Workbench, WorkbenchDeps } from './workbench.ts'

/** Who speaks where nobody is asked for a name. */
const LOCAL_CALLER = 'local'
const KEPT_OUTPUT_BYTES = 32 * 1024 * 1024

export function createWorkbench(config: NotebookConfig, deps: WorkbenchDeps): Workbench {
  const { logger, keepSecret = () => undefined } = deps
  const fence = createPathFence(config.allowedPaths)
  const hooks = traceWith(createHooks(logger), { includeCode: config.recordCode })
  deps.registerHooks?.(hooks)
  const audit = config.auditFile
    ? createAuditLog({ path: config.auditFile, includeCode: config.recordCode, hooks, logger })
    : undefined
  const known = config.isExtension ? allTools.filter((tool) => tool !== connectToJupyter) : allTools
  const tools = config.readOnly ? known.filter(({ scope }) => scope === 'notebooks:read') : known
  const toolBox = createToolBox(
    tools,
    logger,
    known.filter((tool) => !tools.includes(tool)),
  )
  const keptOutputs = createKeptOutputs({ maxBytes: KEPT_OUTPUT_BYTES })
  const connection = createConnection(config.targets, { logger, fence, hooks, roomHost: deps.roomHost })
  const views = createViews(connection.openFirst)
  const watch = watchNotebooks(views.all, logger)
  const cancelling = new AbortController()
  let closing: Promise<void> | undefined

  async function connect(targets: ConnectionTargets): Promise<void> {
    for (const secret of secretsIn(targets)) keepSecret(secret)
    const letGo = await connection.replace(targets)
    await views.clear()
    await letGo()
  }

  async function openRoom(path: string, signal: AbortSignal): Promise<WebSocket> {
    const checked = fence.check(path)
    return (await connection.servers()).openRoom(checked, signal)
  }

  /** The worst of them: one dead kernel is what somebody should look at. */
  async function kernelStatus(): Promise<KernelStatus> {
    const notebooks = views.all().flatMap((workspace) => workspace.all())
    const statuses = new Set(await Promise.all(notebooks.map(({ kernel }) => kernel.status())))
    const order = ['dead', 'error', 'unknown', 'alive'] as const
    return order.find((status) => statuses.has(status)) ?? 'not_initialized'
  }

  function createServer({ era, principal }: ServingContext<Principal>) {
    const owner = principal?.subject ?? LOCAL_CALLER
    const view = era === 'legacy' ? views.forSession(owner) : views.forCaller(owner)
    return createMcpServer({
      version: config.version,
      toolBox,
      contextFor: async ({ signal, progress, author, thread }): Promise<ToolContext> => ({
        config,
        servers: await connection.servers(),
        view: thread === undefined ? view : views.forThread(owner, thread.id),
        author,
        fence,
        hooks,
        keptOutputs,
        logger,
        signal: AbortSignal.any([signal, cancelling.signal]),
        progress,
        connect,
        mayExecute: principal?.scopes?.has('code:execute') ?? true,
      }),
    })
  }

  return Object.freeze({
    createServer,
    scopeFor: (message: IncomingMessage) => scopesOf(message),
    tellChangesTo: (notifier: ChangeNotifier) => watch.tell(notifier),
    kernelStatus,
    cancelCalls: () => cancelling.abort(new Error('the server is stopping')),
    connect,
    openRoom: config.readOnly ? undefined : openRoom,
    stop: () => views.clear(),
    close() {
      closing ??= closeAll()
      return closing
    },
  })

  function scopesOf({ method, params }: IncomingMessage): readonly string[] {
    if (typeof method !== 'string') return []
    if (method === 'tools/call') {
      const { name, arguments: given } = isRecord(params) ? params : {}
      return typeof name === 'string' ? toolBox.scopesOf(name, isRecord(given) ? given : {}) : []
    }
    return READING.test(method) ? ['notebooks:read'] : []
  }

  async function closeAll(): Promise<void> {
    watch.close()
    await views.clear()
    await connection.close()
    await audit?.close()
  }
}

function secretsIn({ document, sandbox }: ConnectionTargets): readonly string[] {
  return [document.token, document.password, sandbox.token, sandbox.password].filter(
    (text) => text !== undefined,
  )
}

const READING = /^(?:prompts\/get|resources\/|completion\/|subscriptions\/)/
