import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { CallerError } from '../errors.ts'
import { type AdmissionOptions, createAdmission } from './admission.ts'
import { createObservation, type ObservationOptions } from './observe.ts'
import { createErrorRenderer, type ErrorBody } from './render-error.ts'
import { createRouteTable } from './route-table.ts'
import type { ServiceEnv } from './service-env.ts'
import { createValidationHook } from './validation.ts'

export interface AppOptions extends AdmissionOptions, ObservationOptions {
  /** The service's own error body. */
  readonly errorBody: ErrorBody
  /** The status of a body, query or path of the wrong shape; 422 by default. */
  readonly validationStatus?: 400 | 422
  /** Patterns of undocumented routes that need no token, such as `/ui/*`. Documented ones say it by `security: open`. */
  readonly publicPatterns?: readonly string[]
}

export type ServiceApp = OpenAPIHono<ServiceEnv>

/**
 * The Hono app that every service starts from: it admits a request (or refuses it in the service's own words), validates it against
 * the route's declaration, and answers for unknown paths, wrong methods and failures.
 */
export function createApp(options: AppOptions): ServiceApp {
  const app: ServiceApp = new OpenAPIHono<ServiceEnv>({
    strict: false,
    defaultHook: createValidationHook(options.validationStatus ?? 422),
  })
  refuseLostScopes(app)
  const routes = createRouteTable(app, new Set(options.publicPatterns))
  app.use('*', createObservation(options, routes), createAdmission(options, routes))
  app.onError(createErrorRenderer(options.errorBody, options.logger))
  app.notFound((c) => {
    const allowed = routes.methods(c)
    if (allowed.length === 0 || allowed.includes(c.req.method))
      throw new CallerError(
        'not_found',
        `There is nothing at ${c.req.path}.${c.req.path === '/' ? signpost(app, c) : ''}`,
      )
    throw new CallerError('method', `${c.req.path} takes ${allowed.join(', ')}, not ${c.req.method}.`, {
      headers: { allow: allowed.join(', ') },
    })
  })
  return app
}

/** Admission reads the scopes of a route from the app's own document: what is kept out of that would be open to every token. */
function refuseLostScopes(app: ServiceApp): void {
  const { openapi } = app
  app.openapi = ((route: RouteConfig & { hide?: boolean }, ...rest: unknown[]) => {
    if (route.hide && route.security)
      throw new Error(`${route.method} ${route.path} is hidden, so its "security" would have no effect.`)
    return Reflect.apply(openapi, app, [route, ...rest])
  }) as typeof openapi
}

const DOCS = '/docs'

/** For whoever asks for the root: where a mounted app is described, too. */
function signpost(app: ServiceApp, c: Context<ServiceEnv>): string {
  if (!app.routes.some(({ path }) => path === DOCS)) return ''
  const [root = ''] = c.get('raw').target.split('?', 1)
  return ` What there is, is described at ${root.replace(/\/+$/, '')}${DOCS}.`
}
