import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@quire/kit/serve/serve'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { createNodeHandler } from './node-handler.ts'

type Fetch = Parameters<typeof createNodeHandler>[0]

export interface Parent {
  readonly url: string
  readonly port: number
  /** What went wrong, as the parent was told. */
  readonly errors: unknown[]
  close(): Promise<void>
}

export type StartParent = (fetch: Fetch) => Promise<Parent>

export const PREFIX = '/api/v7/teams'
export const PARENTS_OWN = '/api/v7/other'
/** What a parent says of a path that it has nothing at. */
export const NOTHING_HERE = 'the parent has nothing here'

type Prepare = (app: express.Express) => void

function inExpress(prepare: Prepare = () => {}): StartParent {
  return async function startExpress(fetch) {
    const app = express()
    const errors: unknown[] = []
    app.get(PARENTS_OWN, (_request, response) => void response.send('of the parent'))
    prepare(app)
    app.use(PREFIX, createNodeHandler(fetch))
    app.use((_request, response) => void response.status(404).send(NOTHING_HERE))
    app.use(((error, request, response, _next) => {
      errors.push(error)
      response.status(502).send(`${request.url} failed`)
    }) satisfies express.ErrorRequestHandler)
    return listening(createServer(app), errors)
  }
}

const inRouterOfExpress: StartParent = async function startRouter(fetch) {
  const app = express()
  const router = express.Router()
  router.use('/teams', createNodeHandler(fetch))
  router.get('/other', (_request, response) => void response.send('of the parent'))
  app.use('/api/v7', router)
  app.use((_request, response) => void response.status(404).send(NOTHING_HERE))
  return listening(createServer(app))
}

function inFastify(parse: 'default' | 'none'): StartParent {
  return async function startFastify(fetch) {
    const app = fastify({ forceCloseConnections: true })
    app.addHook('onRequest', async (_request, reply) => void reply.header('x-parent', 'fastify'))
    app.get(PARENTS_OWN, () => 'of the parent')
    app.setNotFoundHandler((_request, reply) => reply.status(404).send(NOTHING_HERE))
    if (parse === 'none') {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    }
    app.all(`${PREFIX}/*`, createNodeHandler(fetch, { prefix: PREFIX }))
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}`, port, errors: [], close: () => app.close() }
  }
}

const inHttp: StartParent = async function startHttp(fetch) {
  const handle = createNodeHandler(fetch, { prefix: `${PREFIX}/` })
  const errors: unknown[] = []
  const server = createServer((request, response) =>
    handle(request, response, (error) => {
      if (error !== undefined) errors.push(error)
      ownAnswer(request, response)
    }),
  )
  return listening(server, errors)
}

const inHono: StartParent = async function startHono(fetch) {
  const app = new Hono()
    .mount(PREFIX, fetch)
    .get(PARENTS_OWN, (c) => c.text('of the parent'))
    .notFound((c) => c.text(NOTHING_HERE, 404))
  const { url, port, close } = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
  return { url, port, errors: [], close: () => close(0) }
}

/** As those do who check signatures. */
function keep(request: IncomingMessage, _response: ServerResponse, body: Buffer): void {
  Object.assign(request, { rawBody: body.toString('utf8') })
}

/** Each with a service at the prefix. */
export const PARENTS: Readonly<Record<string, StartParent>> = {
  'Express, before parsers': inExpress(),
  'Express, behind express.json()': inExpress((app) => app.use(express.json())),
  'Express, behind a parser that keeps the text': inExpress((app) => app.use(express.json({ verify: keep }))),
  'Express, behind express.raw()': inExpress((app) => app.use(express.raw({ type: () => true }))),
  'Express, behind express.text()': inExpress((app) => app.use(express.text({ type: () => true }))),
  'a router of Express': inRouterOfExpress,
  Fastify: inFastify('default'),
  'Fastify without parsers': inFastify('none'),
  'a bare http server': inHttp,
  Hono: inHono,
}

/** Where the service alone answers, and nobody is behind it. */
export const alone: StartParent = async function startAlone(fetch) {
  return listening(createServer(createNodeHandler(fetch, { prefix: PREFIX })))
}

async function listening(server: Server, errors: unknown[] = []): Promise<Parent> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    errors,
    async close() {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}

function ownAnswer(request: IncomingMessage, response: ServerResponse): void {
  const isOwn = request.url === PARENTS_OWN
  response.writeHead(isOwn ? 200 : 404).end(isOwn ? 'of the parent' : NOTHING_HERE)
}
