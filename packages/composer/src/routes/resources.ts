import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { ComposerError } from '../composer-error.ts'
import { Reading, ResourceList, ResourceRequest } from '../contract.ts'
import { callServer, writeAnswer } from './call-server.ts'
import { body, json, REFUSED, UNANSWERED, UNKNOWN, UNREADABLE, written } from './declare.ts'
import { quoteName } from './known-names.ts'
import { toResource } from './offers.ts'
import { pageQuery, slicePage } from './page.ts'
import type { ComposerParts } from './parts.ts'
import { recorded } from './recorded.ts'

type ResourceParts = Pick<
  ComposerParts,
  'catalog' | 'supervisor' | 'calls' | 'redactor' | 'viewOf' | 'limit' | 'record'
>

const tags = ['resources']

export function mountResources(app: ServiceApp, prefix: string, parts: ResourceParts): void {
  const list = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/resources`,
    operationId: 'listResources',
    summary: 'The resources of all running servers',
    security: needs('tools:list'),
    request: { query: z.object(pageQuery) },
    responses: { ...REFUSED, 200: json('The resources', ResourceList) },
  })
  app.openapi(list, (c) => {
    const resources = parts.catalog.resources(parts.viewOf(c.get('principal')))
    const { items, page } = slicePage(resources, c.req.valid('query'))
    return c.json({ resources: items.map(toResource), ...page }, 200)
  })

  const read = createRoute({
    tags,
    method: 'post',
    path: `${prefix}/resources/read`,
    operationId: 'readResource',
    summary: 'The contents of a resource',
    security: needs('tools:invoke'),
    request: body(ResourceRequest),
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...UNKNOWN,
      ...UNANSWERED,
      200: written('What the server answered', Reading),
    },
  })
  app.openapi(read, (c) => {
    const { uri } = c.req.valid('json')
    return recorded(c, parts.record, { method: 'resources/read', target: uri }, async (deed) => {
      const server = parts.catalog.serverOf(uri, parts.viewOf(c.get('principal')))
      if (server === undefined)
        throw new ComposerError(
          'NOT_FOUND',
          `No server has the resource ${quoteName(uri)}. GET /resources lists those that there are.`,
        )
      deed.server = server
      return writeAnswer(await callServer(c, parts, deed, { uri }))
    })
  })
}
