import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs, open } from '@quire/kit/app/route-table'
import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import { ConnectRequest, Done, Failure, Health, type KernelStatus, Refusal } from '../contract.ts'
import { type ResolvedTargets, resolveTargets } from '../resolve-targets.ts'
import { ToolError } from '../tool-error.ts'
import type { Workbench } from '../workbench/workbench.ts'

export interface ManagementOptions {
  readonly workbench: Workbench
  readonly logger: Logger
  readonly allowTokenInUrl: boolean
  readonly healthDeadlineMs?: number
}

const json = <Schema>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
})

/** Every one of these routes is for this machine alone, whatever hosts and origins the service answers to elsewhere. */
const common = {
  'x-loopback-only': true,
  tags: ['management'],
}
const refused = {
  401: json('The token is missing or wrong', Refusal),
  403: json('The Origin is not local, or the token lacks the scope', Refusal),
  421: json('The Host is not local', Refusal),
}

const healthz = createRoute({
  ...common,
  method: 'get',
  path: '/api/healthz',
  operationId: 'healthz',
  summary: 'Whether the service is ready',
  security: open,
  responses: { 200: json('It is', Health), 403: refused[403], 421: refused[421] },
})

const connectRoute = createRoute({
  ...common,
  method: 'put',
  path: '/api/connect',
  operationId: 'connect',
  summary: 'Work on other notebook servers from now on',
  description:
    'The new servers are asked first: when one does not answer, everything stays as it was. No credential of the old servers is used for the new ones.',
  security: needs('server:manage'),
  request: { body: { required: true, content: { 'application/json': { schema: ConnectRequest } } } },
  responses: {
    ...refused,
    200: json('Done', Done),
    400: json('The body is not right', Failure),
    502: json('A server cannot be reached, or refuses', Failure),
  },
})

const stopRoute = createRoute({
  ...common,
  method: 'delete',
  path: '/api/stop',
  operationId: 'stop',
  summary: 'Let all notebooks go',
  description: 'Kernels that this service has started are shut down; the service itself goes on.',
  security: needs('server:manage'),
  responses: {
    ...refused,
    200: json('Done', Done),
    502: json('A server cannot be reached, or refuses', Failure),
  },
})

export const MANAGEMENT_OPERATIONS: ReadonlySet<string> = new Set(['healthz', 'connect', 'stop'])

const HEALTH_DEADLINE_MS = 2_000

/** The three routes by which a local program steers the standalone server. */
export function mountManagement(app: ServiceApp, options: ManagementOptions): void {
  const { workbench, logger, healthDeadlineMs = HEALTH_DEADLINE_MS } = options

  app.openapi(healthz, async (c) => {
    const body: Health = {
      success: true,
      service: 'notebook-tool-server',
      status: 'healthy',
      message: 'The notebook tool server is running.',
      kernel_status: await statusWithin(healthDeadlineMs, workbench, logger),
    }
    return c.json(body, 200)
  })

  app.openapi(connectRoute, async (c) => {
    const body = c.req.valid('json')
    const { targets, warnings } = toTargets(body, options.allowTokenInUrl)
    for (const warning of warnings) logger.warn(warning)
    await orRefuse(workbench.connect(targets))
    const { document, sandbox } = targets
    logger.info({ document: document.url, sandbox: sandbox.url }, 'connected to other notebook servers')
    return c.json({ success: true } as const, 200)
  })

  app.openapi(stopRoute, async (c) => {
    await orRefuse(workbench.stop())
    logger.info('all notebooks were let go')
    return c.json({ success: true } as const, 200)
  })
}

/** A notebook server that hangs must not make this service look dead. */
async function statusWithin(deadlineMs: number, workbench: Workbench, logger: Logger): Promise<KernelStatus> {
  const { promise: late, resolve } = Promise.withResolvers<KernelStatus>()
  const timer = setTimeout(() => resolve('unknown'), deadlineMs)
  try {
    return await Promise.race([workbench.kernelStatus(), late])
  } catch (error) {
    logger.warn({ err: error }, 'the status of the kernels cannot be told')
    return 'error'
  } finally {
    clearTimeout(timer)
  }
}

/** Nothing is taken over from the servers before: what the body does not say is not there. */
function toTargets(body: ConnectRequest, allowTokenInUrl: boolean): ResolvedTargets {
  return resolveTargets({
    notebook: {},
    sandbox: {
      url: body.code_sandbox_url,
      token: body.code_sandbox_token,
      password: body.code_sandbox_password,
    },
    document: { url: body.document_url, token: body.document_token, password: body.document_password },
    documentId: body.document_id,
    kernelId: body.code_sandbox_id,
    allowTokenInUrl,
  })
}

/** What a notebook server did wrong is no fault of ours. */
async function orRefuse(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    if (error.code === 'invalid_argument')
      throw new CallerError('validation', error.message, { status: 400, cause: error })
    throw new CallerError('unavailable', error.message, { status: 502, cause: error })
  }
}
