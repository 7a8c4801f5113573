import { createApp } from '@quire/kit/app/create-app'
import { mountResourceMetadata } from '@quire/kit/app/resource-metadata'
import { serve } from '@quire/kit/serve/serve'
import { verifies } from '@quire/spec/verifies'
import { expect, onTestFinished, test } from 'vitest'
import { configOf } from './config/config.fixture.ts'
import { createDoor } from './door.ts'
import { composerErrorBody } from './routes/error-body.ts'
import { SCOPES } from './scopes.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const ISSUER = 'https://login.example.org'

const jwt = (audience: string, issuer = ISSUER) =>
  `[authentication]\nenabled = true\nproviders = ["jwt"]\n[authentication.jwt]\njwks_url = "https://login.example.org/keys"\nissuer = "${issuer}"\naudience = "${audience}"\n`

async function start(toml: string, publicUrl?: string) {
  const door = await createDoor(configOf(toml), {
    apiKeys: [],
    ...(publicUrl !== undefined && { publicUrl }),
  })
  const app = createApp({
    errorBody: composerErrorBody,
    ...(door.authentication && { authentication: door.authentication }),
  })
  if (door.protectedResource) mountResourceMetadata(app, door.protectedResource)
  const listening = await serve({ fetch: app.fetch, host: '127.0.0.1', port: 0 })
  onTestFinished(() => listening.close(0))
  return listening.url
}

test.each([
  ['by the audience', jwt('https://tools.example.org/mcp'), undefined, 'https://tools.example.org', '/mcp'],
  ['by the public address', jwt('tools'), 'https://x.example/all/', 'https://x.example/all', '/mcp'],
  [
    'at another path',
    `${jwt('tools')}[transport]\nstreamable_http_path = "/one/mcp"\n`,
    'https://x.example',
    'https://x.example',
    '/one/mcp',
  ],
])(
  'where signed tokens come from is told to those who have none, %s',
  async (_, toml, publicUrl, base, path) => {
    verifies('ALL-AUTH-8')
    const url = await start(toml, publicUrl)
    for (const place of [WELL_KNOWN, `${WELL_KNOWN}${path}`]) {
      const answer = await fetch(`${url}${place}`)
      expect(answer.status).toBe(200)
      expect(await answer.json()).toEqual({
        resource: `${base}${path}`,
        authorization_servers: [ISSUER],
        scopes_supported: [...SCOPES],
        bearer_methods_supported: ['header'],
      })
    }
    const refused = await fetch(`${url}${path}`, { method: 'POST' })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toContain(
      `resource_metadata="${base}${WELL_KNOWN}${path}"`,
    )
  },
)

test.each([
  ['our address is not known', jwt('tools')],
  ['the audience is another address', jwt('https://tools.example.org/other')],
  ['the audience is no address of the web', jwt('urn:tools/mcp')],
  ['the issuer has no address', jwt('https://tools.example.org/mcp', 'us')],
  [
    'there is nothing that tokens are for',
    `${jwt('https://a.example/mcp')}[transport]\nstreamable_http_enabled = false\n`,
  ],
  ['tokens are keys', `[authentication]\nenabled = true\napi_key.keys = ["${'k'.repeat(32)}"]\n`],
])('nothing is told where %s', async (_, toml) => {
  const url = await start(toml)
  expect((await fetch(`${url}${WELL_KNOWN}`)).status).toBe(401)
  const refused = await fetch(`${url}/mcp`, { method: 'POST' })
  expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="composer"')
})
