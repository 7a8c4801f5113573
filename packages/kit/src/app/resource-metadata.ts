import { createRoute, z } from '@hono/zod-openapi'
import type { ServiceApp } from './create-app.ts'
import { open } from './route-table.ts'

/** Where the tokens of a service come from, for a client that has none. */
export interface ProtectedResource {
  /** What tokens are for, by the address that clients see: `https://tools.example.org/mcp`. */
  readonly resource: string
  /** How that ends: `/mcp`. */
  readonly path: string
  /** The authorization server that issues them. */
  readonly issuer: string
  readonly scopes: readonly string[]
}

/** RFC 9728 §2. */
const ResourceMetadata = z.object({
  resource: z.url(),
  authorization_servers: z.array(z.url()),
  scopes_supported: z.array(z.string()),
  bearer_methods_supported: z.array(z.literal('header')),
})

const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** For `resourceMetadata` of the challenge. */
export function metadataUrl({ resource, path }: ProtectedResource): string {
  return `${resource.slice(0, resource.length - path.length)}${METADATA_PATH}${path}`
}

/** RFC 9728, at the place that belongs to the path, and at the root for clients that look only there. */
export function mountResourceMetadata(
  app: ServiceApp,
  { resource, path, issuer, scopes }: ProtectedResource,
): void {
  const metadata: z.infer<typeof ResourceMetadata> = {
    resource,
    authorization_servers: [issuer],
    scopes_supported: [...scopes],
    bearer_methods_supported: ['header'],
  }
  const places = { protectedResource: METADATA_PATH, protectedResourceOfMcp: `${METADATA_PATH}${path}` }
  for (const [operationId, place] of Object.entries(places)) {
    const route = createRoute({
      method: 'get',
      path: place,
      operationId,
      summary: 'Where tokens for this server come from (RFC 9728)',
      security: open,
      responses: {
        200: { description: 'The metadata', content: { 'application/json': { schema: ResourceMetadata } } },
      },
    })
    app.openapi(route, (c) => c.json(metadata, 200))
  }
}
