import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { createKeptLog, type Peer, startPeer } from './peer.fixture.ts'
import { createJupyterServer } from './server.ts'

const TOKEN = 'canary-token-0123456789'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function host(...args: Parameters<typeof startPeer>): Promise<Peer> {
  const peer = await startPeer(...args)
  cleanups.push(peer.close)
  return peer
}

const open = (url: string) => createJupyterServer({ url, token: TOKEN }, { logger: createKeptLog().logger })

type Answering = (response: ServerResponse, port: number) => void
const redirect =
  (location: string, status = 302): Answering =>
  (response, port) =>
    response.writeHead(status, { location: location.replace('PORT', String(port)) }).end()
const say =
  (status: number, text: string, type = 'application/json'): Answering =>
  (response) =>
    response.writeHead(status, { 'content-type': type }).end(text)

const ANSWERS: [string, Answering, string, RegExp][] = [
  [
    'a redirect to a login page',
    redirect('/login?next=%2Fcanary-query'),
    'refused',
    /\/login, a login page.*authentication problem.*access:servers/,
  ],
  [
    'a redirect to the login of a hub',
    redirect('/hub/login?next=canary-query'),
    'refused',
    /\/hub\/login, a login page.*authentication problem.*access:servers/,
  ],
  [
    'a redirect to the OAuth page of a hub',
    redirect('/hub/api/oauth2/authorize?state=canary-query'),
    'refused',
    /authentication problem/,
  ],
  [
    'a redirect to single sign-on',
    redirect('https://idp.example.org/saml/sso?x=canary-query'),
    'refused',
    /https:\/\/idp\.example\.org\/saml\/sso, a login page.*authentication problem/,
  ],
  [
    'a redirect to another origin',
    redirect('https://elsewhere.example.org/x?y=canary-query'),
    'refused',
    /another origin.*not followed.*not sent there/,
  ],
  ['a redirect to a host of the same name', redirect('//127.0.0.1:1/api'), 'refused', /another origin/],
  [
    'a redirect of a hub whose server is stopped',
    redirect('/hub/user/ada/api/x'),
    'unreachable',
    /not running.*\/hub\/home.*POST http:\/\/127\.0\.0\.1:\d+\/hub\/api\/users\/ada\/server/,
  ],
  [
    'the answer of a hub whose server is stopped',
    say(424, '{"message": "not running"}'),
    'unreachable',
    /not running/,
  ],
  [
    'a redirect that adds a slash',
    redirect('/user/ada/api/x/?q=canary-query', 301),
    'unreachable',
    /redirected to http:\/\/127\.0\.0\.1:\d+\/user\/ada\/api\/x\/, and redirects are not followed/,
  ],
  [
    'a redirect that adds a prefix',
    redirect('/deep/user/ada/api/x', 308),
    'unreachable',
    /\/deep\/user\/ada\/api\/x.*Configure the address/,
  ],
  [
    'a redirect to https',
    redirect('https://127.0.0.1:PORT/user/ada/api/x', 301),
    'unreachable',
    /with https instead of http/,
  ],
  ['a redirect without a target', (response) => response.writeHead(302).end(), 'failing', /leads nowhere/],
  ['a redirect to nonsense', redirect('http://['), 'failing', /leads nowhere/],
  [
    'a web page',
    say(200, '<!doctype html><title>Welcome\u0007 home</title>', 'text/html'),
    'unreachable',
    /\(Welcome home\).*does not look like a Jupyter server.*without \/lab/,
  ],
  [
    'a login page',
    say(200, '<html><form><input type="password" name="p"></form></html>', 'text/html'),
    'refused',
    /answered with a login page.*authentication problem/,
  ],
  ['something that is no JSON', say(200, 'hello'), 'failing', /no JSON/],
  ['JSON that is cut', say(200, '{"a": [1, 2'), 'failing', /no JSON/],
  [
    'a failure in JSON',
    say(500, '{"message": "disk\\n\\u001b[31m full", "traceback": "secret"}'),
    'failing',
    /failing, this is no authentication problem: GET http.*\/user\/ada\/api\/x answered 500 \(disk \[31m full\)/,
  ],
  [
    'a failure of a proxy',
    say(502, '<html><head><title>502 Bad Gateway</title></head></html>', 'text/html'),
    'failing',
    /answered 502 \(502 Bad Gateway\)/,
  ],
  ['a failure with much to say', say(503, 'long '.repeat(5_000), 'text/plain'), 'failing', /^.{0,420}$/],
  ['a failure without a word', say(500, ''), 'failing', /answered 500\. /],
  [
    'a bad request',
    say(400, '{"message": "Invalid\\u0000 kernel\\u202e name"}'),
    'invalid_argument',
    /answered 400 \(Invalid kernel name\)/,
  ],
  [
    'a missing file',
    say(404, '{"message": "No such file: x"}'),
    'not_found',
    /answered 404 \(No such file: x\)/,
  ],
  ['a missing page', say(404, '<title>404</title>', 'text/html'), 'not_found', /answered 404/],
  ['a conflict', say(409, '{"message": "exists"}'), 'conflict', /answered 409 \(exists\)/],
  ['too much', say(413, ''), 'invalid_argument', /answered 413/],
  ['an unusual status', say(418, ''), 'failing', /Unexpected status 418/],
  ['too many requests', say(429, '{"message": "slow down"}'), 'failing', /429 \(slow down\)/],
  [
    'a refusal',
    say(401, '{"message": "who are you?"}'),
    'refused',
    /answered 401 \(who are you\?\)\. The token was not accepted/,
  ],
  [
    'a refusal that repeats the token',
    say(403, `{"message": "token=${TOKEN} ${TOKEN}"}`),
    'refused',
    /\[redacted\]/,
  ],
]

describe.each(ANSWERS)('%s', (_name, answer, code, message) => {
  test('is explained, and not followed', async () => {
    const peer = await host((_request, response) => answer(response, peer.port))
    const server = open(`${peer.url}/user/ada`)
    const failure = await server.request('GET', ['api', 'x']).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'ToolError', code, message: expect.stringMatching(message) })
    expect(String(failure)).not.toMatch(/canary|[\p{Cc}\u202e]/u)
    for (const { url } of peer.requests) expect(url).toBe('/user/ada/api/x')
  })

  test('is explained to whoever wants a socket', async () => {
    const peer = await host((_request, response) => answer(response, peer.port))
    const server = open(`${peer.url}/user/ada`)
    const failure = await server.openSocket(['api', 'x'], {}).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'ToolError', message: expect.stringContaining('/user/ada') })
    expect(String(failure)).not.toMatch(/canary|[\p{Cc}\u202e]/u)
  })
})
