import type { ServiceEnv } from '@quire/kit/app/service-env'
import type { Context } from 'hono'

/** What a parent application has cut off the path before it handed the request on; empty where nothing was, or nobody can tell. */
export function mountPrefix(c: Context<ServiceEnv>): string {
  const [whole = ''] = c.get('raw').target.split('?', 1)
  const own = c.req.path
  return whole.endsWith(own) ? whole.slice(0, whole.length - own.length) : ''
}
