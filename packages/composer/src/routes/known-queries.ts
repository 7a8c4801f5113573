import { z } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { ComposerError } from '../composer-error.ts'
import { listNames } from './known-names.ts'

/** A parameter that no route reads is a mistake of whoever sends it. To be called before the routes below this path are declared. */
export function refuseUnknownQueries(app: ServiceApp, path: string): void {
  let known: ReadonlyMap<string, readonly string[]> | undefined
  app.use(`${path}/*`, async function checkQuery(c, next) {
    if (c.req.url.includes('?')) {
      known ??= readQueries(app)
      const names = known.get(c.get('route')?.operationId ?? '')
      const unknown = Object.keys(c.req.queries()).filter((name) => names?.includes(name) === false)
      if (unknown.length > 0) throw unknownQuery(unknown, names ?? [])
    }
    await next()
  })
}

/** By operation. */
function readQueries(app: ServiceApp): ReadonlyMap<string, readonly string[]> {
  const queries = app.openAPIRegistry.definitions.flatMap((definition) => {
    if (definition.type !== 'route') return []
    const { operationId = '', request } = definition.route
    const names = request?.query instanceof z.ZodObject ? Object.keys(request.query.shape) : []
    return [[operationId, names] as const]
  })
  return new Map(queries)
}

function unknownQuery(unknown: readonly string[], known: readonly string[]): ComposerError {
  const there = known.length > 0 ? `It takes ${listNames(known, '')}.` : 'It takes none.'
  return new ComposerError(
    'VALIDATION_ERROR',
    `This route has no query parameter ${listNames(unknown, '')}. ${there}`,
  )
}
