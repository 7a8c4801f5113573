import type { ServiceEnv } from '@quire/kit/app/service-env'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { decodeApiPath, parseApiPath } from '../folder/api-path.ts'
import { readBody } from '../read-body.ts'
import type { Contents } from './contents.ts'
import { badRequest } from './read-content.ts'

const TYPE = z.enum(['notebook', 'file', 'directory'])
const FORMAT = z.enum(['json', 'text', 'base64'])
const Query = z.object({ type: TYPE.optional(), format: FORMAT.optional() })
const Save = z.object({
  type: TYPE,
  format: FORMAT.nullish(),
  content: z.unknown(),
  chunk: z.number().nullish(),
})
const Create = z.object({
  copy_from: z.string().nullish(),
  type: TYPE.nullish(),
  ext: z
    .string()
    .regex(/^(?:\.[\w-]{1,16})?$/)
    .nullish(),
})
const Rename = z.object({ path: z.string() })

const PREFIX = '/api/contents'
const CHECKPOINTS = /^(.+)\/checkpoints(?:\/([^/]+))?$/

/** `/api/contents/{path}`. Checkpoints are left out: clients that make one are told that they did, and find none. */
export function mountContents(app: Hono<ServiceEnv>, contents: Contents): void {
  for (const pattern of [PREFIX, `${PREFIX}/*`]) {
    app.get(pattern, async (c) => {
      const path = pathOf(c)
      if (CHECKPOINTS.test(path)) return c.json([])
      const query = Query.safeParse(c.req.query())
      if (!query.success) throw badRequest('The type or the format of the request is unknown')
      const { type, format } = query.data
      const model = await contents.get(path, {
        content: isOn(c.req.query('content') ?? '1'),
        hash: isOn(c.req.query('hash') ?? '0'),
        type,
        format,
      })
      return c.json(model)
    })

    app.put(pattern, async (c) => {
      const path = pathOf(c)
      const body = await readBody(c, Save)
      if (typeof body?.chunk === 'number') throw badRequest('Files are taken in one piece, not in chunks')
      if (body && body.type !== 'directory' && (body.content === undefined || body.content === null))
        throw badRequest('No file content provided')
      const { model, isNew } = await contents.save(path, body ?? emptyFile(path))
      return c.json(model, isNew ? 201 : 200, { location: locationOf(model.path) })
    })

    app.post(pattern, async (c) => {
      const path = pathOf(c)
      const checkpoint = CHECKPOINTS.exec(path)
      if (checkpoint) return await answerCheckpoint(c, contents, checkpoint[1] ?? '', checkpoint[2])
      const { copy_from, type, ext } = (await readBody(c, Create)) ?? {}
      const model = copy_from
        ? await contents.copy(parseApiPath(copy_from), path)
        : await contents.create(path, { type: type ?? 'file', extension: ext ?? undefined })
      return c.json(model, 201, { location: locationOf(model.path) })
    })

    app.patch(pattern, async (c) => {
      const body = await readBody(c, Rename)
      if (!body) throw badRequest('JSON body missing')
      const model = await contents.rename(pathOf(c), parseApiPath(body.path))
      return c.json(model, 200, { location: locationOf(model.path) })
    })

    app.delete(pattern, async (c) => {
      const path = pathOf(c)
      if (!CHECKPOINTS.test(path)) await contents.remove(path)
      return c.body(null, 204)
    })
  }
}

async function answerCheckpoint(
  c: Context<ServiceEnv>,
  contents: Contents,
  path: string,
  id: string | undefined,
) {
  if (id !== undefined) throw badRequest('There are no checkpoints here to return to')
  const { last_modified } = await contents.get(path, { content: false, hash: false })
  return c.json({ id: 'checkpoint', last_modified }, 201)
}

function pathOf(c: Context<ServiceEnv>): string {
  return parseApiPath(decodeApiPath(new URL(c.req.url).pathname.slice(PREFIX.length)))
}

function locationOf(path: string): string {
  return `${PREFIX}/${path.split('/').map(encodeURIComponent).join('/')}`
}

function isOn(value: string): boolean {
  if (value !== '0' && value !== '1')
    throw badRequest(`A flag is 0 or 1, not ${JSON.stringify(value.slice(0, 20))}`)
  return value === '1'
}

function emptyFile(path: string) {
  if (path.endsWith('.ipynb'))
    return { type: 'notebook' as const, content: { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [] } }
  return { type: 'file' as const, format: 'text' as const, content: '' }
}
