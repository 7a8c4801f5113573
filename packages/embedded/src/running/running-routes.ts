import type { ServiceEnv } from '@quire/kit/app/service-env'
import { CallerError } from '@quire/kit/errors'
import type { Logger } from '@quire/kit/log'
import type { Hono } from 'hono'
import { z } from 'zod'
import { connectChannels } from '../channels/channels.ts'
import { nameOf, parseApiPath } from '../folder/api-path.ts'
import type { KernelSpec } from '../kernel/kernel.ts'
import { readBody } from '../read-body.ts'
import type { Sockets } from '../socket/sockets.ts'
import type { RunningKernels } from './running-kernels.ts'
import type { Sessions } from './sessions.ts'

export interface RunningParts {
  readonly kernels: RunningKernels
  readonly sessions: Sessions
  readonly sockets: Sockets
  readonly logger: Logger
}

const Kernel = z.object({ name: z.string().nullish(), path: z.string().nullish() })
const SessionChange = z.object({
  path: z.string().nullish(),
  name: z.string().nullish(),
  type: z.string().nullish(),
  kernel: z.object({ id: z.string().nullish(), name: z.string().nullish() }).nullish(),
  notebook: z.object({ path: z.string().nullish(), name: z.string().nullish() }).nullish(),
})
/** As Jupyter ends them: for good, and without a fault. */
const KERNEL_GONE = 1000
type SessionChange = z.output<typeof SessionChange>

/** Kernelspecs, kernels and their channels, sessions. */
export function mountRunning(app: Hono<ServiceEnv>, parts: RunningParts): void {
  mountSpecs(app, parts)
  mountKernels(app, parts)
  mountSessions(app, parts)
}

function mountSpecs(app: Hono<ServiceEnv>, { kernels }: RunningParts): void {
  const { specs } = kernels
  app.get('/api/kernelspecs', (c) =>
    c.json({
      default: specs[0]?.name ?? '',
      kernelspecs: Object.fromEntries(specs.map((spec) => [spec.name, specModel(spec)])),
    }),
  )
  app.get('/api/kernelspecs/:name', (c) => {
    const spec = specs.find(({ name }) => name === c.req.param('name'))
    if (!spec) throw new CallerError('not_found', `Kernel spec ${c.req.param('name')} not found`)
    return c.json(specModel(spec))
  })
}

function mountKernels(app: Hono<ServiceEnv>, { kernels, sockets, logger }: RunningParts): void {
  app.get('/api/kernels', (c) => c.json(kernels.list()))
  app.post('/api/kernels', async (c) => {
    const { name, path } = (await readBody(c, Kernel)) ?? {}
    const model = kernels.start(name ?? undefined, parseApiPath(path ?? ''))
    return c.json(model, 201, { location: `/api/kernels/${model.id}` })
  })
  app.get('/api/kernels/:id', (c) => c.json(kernels.get(c.req.param('id'))))
  app.delete('/api/kernels/:id', async (c) => {
    await kernels.remove(c.req.param('id'))
    return c.body(null, 204)
  })
  app.post('/api/kernels/:id/interrupt', async (c) => {
    await kernels.find(c.req.param('id')).interrupt()
    return c.body(null, 204)
  })
  app.post('/api/kernels/:id/restart', async (c) => {
    const id = c.req.param('id')
    await kernels.find(id).restart()
    return c.json(kernels.get(id))
  })
  app.get('/api/kernels/:id/channels', (c) => {
    const id = c.req.param('id')
    const kernel = kernels.find(id)
    return sockets.accept(c, (peer) => {
      peer.onClose(kernels.connect(id, () => peer.close(KERNEL_GONE, 'The kernel was shut down.')))
      connectChannels(peer, kernel, c.req.query('session_id'), logger)
    })
  })
}

function mountSessions(app: Hono<ServiceEnv>, { sessions }: RunningParts): void {
  app.get('/api/sessions', (c) => c.json(sessions.list()))
  app.post('/api/sessions', async (c) => {
    const body = requireBody(await readBody(c, SessionChange))
    const { path, type, name, kernel } = toRequest(body)
    if (path === undefined) throw missing('Missing field in JSON data: path')
    if (type === undefined) throw missing('Missing field in JSON data: type')
    const model = sessions.create({ path, type, name: name ?? nameOf(path), kernel: kernel ?? {} })
    return c.json(model, 201, { location: `/api/sessions/${model.id}` })
  })
  app.get('/api/sessions/:id', (c) => c.json(sessions.get(c.req.param('id'))))
  app.patch('/api/sessions/:id', async (c) => {
    const body = requireBody(await readBody(c, SessionChange))
    return c.json(await sessions.change(c.req.param('id'), toRequest(body)))
  })
  app.delete('/api/sessions/:id', async (c) => {
    await sessions.remove(c.req.param('id'))
    return c.body(null, 204)
  })
}

/** `notebook` is how it was said before sessions could be of anything else. */
function toRequest({ path, name, type, kernel, notebook }: SessionChange) {
  const where = path ?? notebook?.path
  const kind = type ?? (notebook ? 'notebook' : undefined)
  const title = name ?? notebook?.name
  return {
    ...(where && { path: parseApiPath(where) }),
    ...(title && { name: title }),
    ...(kind && { type: kind }),
    ...(kernel && { kernel: { id: kernel.id ?? undefined, name: kernel.name ?? undefined } }),
  }
}

function requireBody(body: SessionChange | undefined): SessionChange {
  if (!body) throw missing('No JSON data provided')
  return body
}

function missing(message: string): CallerError {
  return new CallerError('validation', message, { status: 400 })
}

function specModel({ name, displayName, language }: KernelSpec) {
  return {
    name,
    spec: { argv: [], env: {}, display_name: displayName, language, interrupt_mode: 'message', metadata: {} },
    resources: {},
  }
}
