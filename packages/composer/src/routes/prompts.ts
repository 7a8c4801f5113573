import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { needs } from '@quire/kit/app/route-table'
import type { Principal } from '@quire/kit/auth/principal'
import { isRecord } from '@quire/mcp/json'
import type { PromptEntry } from '../catalog/composed-catalog.ts'
import { ComposerError } from '../composer-error.ts'
import { Arguments, PromptList, Reading } from '../contract.ts'
import { text } from '../request-fields.ts'
import { callServer, WRAPPED, writeAnswer } from './call-server.ts'
import { body, json, REFUSED, UNANSWERED, UNKNOWN, UNREADABLE, written } from './declare.ts'
import { listNames, quoteName } from './known-names.ts'
import { toPrompt } from './offers.ts'
import { pageQuery, slicePage } from './page.ts'
import type { ComposerParts } from './parts.ts'
import { recorded } from './recorded.ts'

type PromptParts = Pick<
  ComposerParts,
  'catalog' | 'supervisor' | 'calls' | 'redactor' | 'viewOf' | 'limit' | 'record'
>

const tags = ['prompts']

export function mountPrompts(app: ServiceApp, prefix: string, parts: PromptParts): void {
  const list = createRoute({
    tags,
    method: 'get',
    path: `${prefix}/prompts`,
    operationId: 'listPrompts',
    summary: 'The prompts of all running servers',
    security: needs('tools:list'),
    request: { query: z.object(pageQuery) },
    responses: { ...REFUSED, 200: json('The prompts', PromptList) },
  })
  app.openapi(list, (c) => {
    const prompts = parts.catalog.prompts(parts.viewOf(c.get('principal')))
    const { items, page } = slicePage(prompts, c.req.valid('query'))
    return c.json({ prompts: items.map(toPrompt), ...page }, 200)
  })

  const get = createRoute({
    tags,
    method: 'post',
    path: `${prefix}/prompts/{prompt_name}/get`,
    operationId: 'getPrompt',
    summary: 'The messages of a prompt; the body is the object of its arguments',
    security: needs('tools:invoke'),
    request: { params: z.object({ prompt_name: text(1024) }), ...body(Arguments) },
    responses: {
      ...REFUSED,
      ...UNREADABLE,
      ...UNKNOWN,
      ...UNANSWERED,
      200: written('What the server answered', Reading),
    },
  })
  app.openapi(get, (c) => {
    const { prompt_name } = c.req.valid('param')
    return recorded(c, parts.record, { method: 'prompts/get', target: prompt_name }, async (deed) => {
      const prompt = requirePrompt(parts, prompt_name, c.get('principal'))
      deed.target = prompt.id
      deed.server = prompt.server
      const args = c.req.valid('json')
      // Arguments of prompts are texts: an object is never one of them.
      if (isRecord(args.arguments)) throw new ComposerError('VALIDATION_ERROR', WRAPPED)
      const params = { name: prompt.item.name, arguments: args }
      return writeAnswer(await callServer(c, parts, deed, params))
    })
  })
}

function requirePrompt({ catalog, viewOf }: PromptParts, name: string, principal: Principal): PromptEntry {
  const view = viewOf(principal)
  const found = catalog.findPrompt(name, view)
  if (found) return found
  const names = catalog.prompts(view).map(({ id }) => id)
  throw new ComposerError(
    'NOT_FOUND',
    `There is no prompt ${quoteName(name)}. Known: ${listNames(names, 'none')}.`,
  )
}
