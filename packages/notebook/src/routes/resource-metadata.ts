import { createRoute } from '@hono/zod-openapi'
import type { ServiceApp } from '@quire/kit/app/create-app'
import { open } from '@quire/kit/app/route-table'
import { ProtectedResource, SCOPES } from '../contract.ts'

export const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** RFC 9728: tells a client without a token where it gets one. Served at the place that belongs to `/mcp`, and at the root for clients that look only there. */
export function mountResourceMetadata(
  app: ServiceApp,
  { resource, issuer }: { readonly resource: string; readonly issuer: string },
): void {
  const metadata: ProtectedResource = {
    resource,
    authorization_servers: [issuer],
    scopes_supported: [...SCOPES],
    bearer_methods_supported: ['header'],
  }
  const places = { protectedResource: METADATA_PATH, protectedResourceOfMcp: `${METADATA_PATH}/mcp` }
  for (const [operationId, path] of Object.entries(places)) {
    const route = createRoute({
      method: 'get',
      path,
      operationId,
      summary: 'Where tokens for this server come from (RFC 9728)',
      security: open,
      responses: {
        200: { description: 'The metadata', content: { 'application/json': { schema: ProtectedResource } } },
      },
    })
    app.openapi(route, (c) => c.json(metadata, 200))
  }
}
