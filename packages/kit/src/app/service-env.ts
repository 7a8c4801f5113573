import type { HttpBindings } from '@hono/node-server'
import type { Principal } from '../auth/principal.ts'
import type { RawRequest } from '../guard/raw-request.ts'
import type { RouteFacts } from './route-table.ts'

/** Who calls, where a program asks its own services without a socket: nothing that comes over one can say it. */
export const CALLER = Symbol('the caller of a service in this process')

/** What a handler finds in its context. `incoming` and `outgoing` are absent where no Node server is underneath, `outgoing` also on an upgrade. */
export type ServiceEnv = {
  Bindings: Partial<HttpBindings> & { readonly [CALLER]?: Principal }
  Variables: {
    raw: RawRequest
    requestId: string
    principal: Principal
    /** The client's address, trusted proxies taken into account. */
    address: string
    /** The route that will answer; undefined when the path or the method has none. */
    route: RouteFacts | undefined
    answerHeaders?: Readonly<Record<string, string>>
  }
}
