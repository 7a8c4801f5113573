import type { Params } from '../rpc.ts'
import type { GatewayFace } from './gateway.ts'

/** Declared whatever the servers offer now: they come and go, and clients ask only once. */
export const CAPABILITIES: Params = Object.freeze({
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
})

const MODERN_VERSIONS = ['2026-07-28']
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

/** The answer to `server/discover`. */
export function discover({ serverInfo, capabilities, instructions }: GatewayFace): Params {
  return {
    ttlMs: 0,
    cacheScope: 'private',
    supportedVersions: MODERN_VERSIONS,
    capabilities,
    ...(instructions !== undefined && { instructions }),
    _meta: { [SERVER_INFO]: serverInfo },
  }
}
