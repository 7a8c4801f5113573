import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import { text } from '../request-fields.ts'
import { Translator, TranslatorList, TranslatorRequest } from '../translator-contract.ts'
import { body, json, REFUSED, UNKNOWN, UNREADABLE } from './declare.ts'
import { pageQuery, slicePage } from './page.ts'
import type { ComposerParts } from './parts.ts'
import { recorded } from './recorded.ts'

type TranslatorParts = Pick<ComposerParts, 'translators' | 'record'>

const tags = ['translators']

export function mountTranslators(app: ServiceApp, prefix: string, parts: TranslatorParts): void {
  const { translators, record } = parts

  const list = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/translators`,
    operationId: 'listTranslators',
    summary: 'The translators',
    security: needs('tools:list'),
    request: { query: z.object(pageQuery) },
    responses: { ...REFUSED, 200: json('The translators', TranslatorList) },
  })
  app.openapi(list, (c) => {
    const { items, page } = slicePage(translators.list(), c.req.valid('query'))
    return c.json({ translators: [...items], ...page }, 200)
  })

  const create = createRoute({
    tags,
    method: 'post',
    path: `${prefix}/translators`,
    operationId: 'createTranslator',
    summary: 'Offer a server over another transport',
    description:
      'What becomes of `stdio-to-http` and `sse-to-http` speaks MCP at `/translators/{id}/mcp`, and as the old transport at `/translators/{id}/sse`.',
    security: needs('servers:manage'),
    request: body(TranslatorRequest),
    responses: { ...REFUSED, ...UNREADABLE, 201: json('The translator', Translator) },
  })
  app.openapi(create, async (c) => {
    const wanted = c.req.valid('json')
    const deed = { method: 'translators/create', target: wanted.name }
    return c.json(await recorded(c, record, deed, () => translators.create(wanted)), 201)
  })

  const remove = createRoute({
    tags,
    method: 'delete',
    path: `${prefix}/translators/{id}`,
    operationId: 'deleteTranslator',
    summary: 'End a translator, and what it runs',
    security: needs('servers:manage'),
    request: { params: z.object({ id: text(256) }) },
    responses: { ...REFUSED, ...UNKNOWN, 204: { description: 'It is gone' } },
  })
  app.openapi(remove, async (c) => {
    const { id } = c.req.valid('param')
    await recorded(c, record, { method: 'translators/delete', target: id }, () => translators.remove(id))
    return c.body(null, 204)
  })
}
