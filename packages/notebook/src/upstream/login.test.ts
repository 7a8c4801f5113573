import type { IncomingMessage, ServerResponse } from 'node:http'
import { verifies } from '@quire/spec/verifies'
import { afterEach, describe, expect, test } from 'vitest'
import { createKeptLog, type Peer, startPeer } from './peer.fixture.ts'
import { createJupyterServer } from './server.ts'

const PASSWORD = 'canary-password-123'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Answer = (response: ServerResponse, request: IncomingMessage) => void

interface Behaviour {
  page?: Answer
  login?: Answer
  status?: Answer
  other?: Answer
}

const FORM = '<html><form><input type="password" name="password"></form></html>'
const good = {
  page: (response) => response.writeHead(200, { 'set-cookie': '_xsrf=first; Path=/' }).end(FORM),
  login: (response) => response.writeHead(302, { location: '/', 'set-cookie': 'session=1; Path=/' }).end(),
  status: (response) => response.end('{"kernels": 0}'),
  other: (response) => response.end('[]'),
} satisfies Behaviour

async function host(behaviour: Behaviour): Promise<Peer> {
  const { page, login, status, other } = { ...good, ...behaviour }
  const peer = await startPeer((request, response) => {
    const answer =
      request.url === '/login'
        ? request.method === 'GET'
          ? page
          : login
        : request.url === '/api/status'
          ? status
          : other
    answer(response, request)
  })
  cleanups.push(peer.close)
  return peer
}

function open(url: string, requestTimeoutMs = 10_000) {
  const log = createKeptLog()
  const server = createJupyterServer({ url, password: PASSWORD }, { logger: log.logger, requestTimeoutMs })
  return { log, server }
}

const asked = ({ requests }: Peer) => requests.map(({ method, url }) => `${method} ${url}`)
const to =
  (location: string): Answer =>
  (response) =>
    response.writeHead(302, { location }).end()
const say =
  (status: number, text = ''): Answer =>
  (response) =>
    response.writeHead(status).end(text)

const PAGE = 'GET /login'
const POST = 'POST /login'
const STATUS = 'GET /api/status'

const FAILURES: [string, Behaviour, string, RegExp, string[]][] = [
  [
    'its page fails',
    { page: say(503, 'starting') },
    'failing',
    /no authentication problem: GET http.*\/login answered 503 \(starting\)/,
    [PAGE],
  ],
  [
    'the post fails',
    { login: say(500) },
    'failing',
    /no authentication problem: POST http.*\/login answered 500/,
    [PAGE, POST],
  ],
  [
    'the post is refused',
    { login: say(403, '{"message": "no"}') },
    'refused',
    /login failed with status 403: POST http.*\(no\)/,
    [PAGE, POST],
  ],
  [
    'the password is refused',
    { login: say(401) },
    'refused',
    /login failed with status 401.*password may be incorrect/,
    [PAGE, POST],
  ],
  [
    'there is none',
    { page: say(404), login: say(404) },
    'refused',
    /login failed with status 404.*its address/,
    [PAGE, POST],
  ],
  [
    'it opens no session',
    { status: say(403, '{"message": "Forbidden"}') },
    'refused',
    /password may be incorrect: after the login GET http.*\/api\/status answered 403/,
    [PAGE, POST, STATUS],
  ],
  [
    'it breaks the server',
    { status: say(500) },
    'failing',
    /GET http.*\/api\/status answered 500/,
    [PAGE, POST, STATUS, STATUS, STATUS, STATUS, STATUS],
  ],
  [
    'there is no API behind it',
    { status: say(404) },
    'refused',
    /Unexpected status 404 after the login/,
    [PAGE, POST, STATUS],
  ],
  [
    'it leads to another login',
    { status: to('/login?x=canary') },
    'refused',
    /Unexpected status 302 after the login.*authentication problem/,
    [PAGE, POST, STATUS],
  ],
  ['it gives no XSRF cookie', { page: say(200, FORM) }, 'refused', /no _xsrf cookie/, [PAGE, POST, STATUS]],
  [
    'it hangs up',
    { login: (_response, request) => request.socket.destroy() },
    'unreachable',
    /Connection error: POST http.*\/login/,
    [PAGE, POST],
  ],
]

test.each(FAILURES)('a login fails because %s', async (_name, behaviour, code, message, requests) => {
  const peer = await host(behaviour)
  const { server, log } = open(peer.url)
  const failure = await server.request('GET', ['api', 'x']).catch((error: unknown) => error)
  expect(failure).toMatchObject({ name: 'ToolError', code, message: expect.stringMatching(message) })
  expect(asked(peer)).toEqual(requests)
  expect(`${String(failure)}${log.text()}`).not.toContain('canary')
})

test('a server that fails while a kernel starts is asked again', async () => {
  let failures = 2
  const peer = await host({
    status(response) {
      failures -= 1
      if (failures < 0) good.status(response)
      else response.writeHead(500).end()
    },
  })
  expect(await open(peer.url).server.request('GET', ['api', 'x'])).toEqual([])
  expect(asked(peer)).toEqual([PAGE, POST, STATUS, STATUS, STATUS, 'GET /api/x'])
})

const ELSEWHERE: [string, Behaviour, string[]][] = [
  ['redirects to an identity provider', { page: to('https://idp.example.org/start?state=canary') }, [PAGE]],
  ['redirects to the login of a hub', { page: to('/hub/login?next=canary') }, [PAGE]],
  ['redirects to OAuth', { page: to('/hub/api/oauth2/authorize?client_id=canary') }, [PAGE]],
  ['redirects to IAM', { page: to('https://iam.cloud.example.org/') }, [PAGE]],
  [
    'shows a page without a password',
    { page: say(200, '<html><a href="/oauth">Sign in with us</a></html>') },
    [PAGE],
  ],
  ['ends at an identity provider', { login: to('https://idp.example.org/?state=canary') }, [PAGE, POST]],
  ['ends at OAuth', { login: to('/oauth2/start?rd=canary') }, [PAGE, POST]],
]

test.each(ELSEWHERE)('a login that %s is an authentication failure', async (_name, behaviour, requests) => {
  verifies('NB-LOGIN-14')
  const peer = await host(behaviour)
  const { server } = open(peer.url)
  const failure = await server.request('GET', ['api', 'x']).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    code: 'refused',
    message: expect.stringMatching(/authentication problem.*use a token.*access:servers/),
  })
  expect(String(failure)).not.toContain('canary')
  expect(asked(peer)).toEqual(requests)
})

test('a login that hangs ends in time', async () => {
  const peer = await host({ login: () => undefined })
  await expect(open(peer.url, 300).server.request('GET', ['api', 'x'])).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/Timed out: (?:POST http.*\/login|GET http.*\/api\/x)/),
  })
})

test('a login page that wants https, or whose server is stopped, is said to', async () => {
  const peer = await host({
    page: (response, request) => to(`https://${request.headers.host}/login`)(response, request),
  })
  await expect(open(peer.url).server.request('GET', ['x'])).rejects.toThrow('https instead of http')
  const hub = await host({ page: to('/hub/user/ada/login') })
  await expect(open(hub.url).server.request('GET', ['x'])).rejects.toThrow('is not running')
})

describe('after a login', () => {
  test('a request that is refused again is not made a third time', async () => {
    verifies('NB-LOGIN-9')
    const peer = await host({ other: say(403, '{"message": "never"}') })
    const { server } = open(peer.url)
    await expect(server.request('POST', ['api', 'x'], { body: {} })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/answered 403 \(never\).*refused again right after a new login/),
    })
    const login = [PAGE, POST, STATUS]
    expect(asked(peer)).toEqual([...login, 'POST /api/x', ...login, 'POST /api/x'])
  })

  test('401 counts like 403', async () => {
    let refusals = 1
    const peer = await host({ other: (response) => response.writeHead(refusals-- > 0 ? 401 : 200).end('[]') })
    expect(await open(peer.url).server.request('GET', ['api', 'x'])).toEqual([])
    expect(asked(peer).filter((line) => line === POST)).toHaveLength(2)
  })

  test('what was refused with the old session is tried with the newer one, without a third login', async () => {
    let logins = 0
    let release: (() => void) | undefined
    const answers: ServerResponse[] = []
    const peer = await host({
      login: (response) => {
        logins += 1
        response.writeHead(302, { location: '/', 'set-cookie': `session=${logins}; Path=/` }).end()
      },
      other: (response, { url, headers }) => {
        if (headers.cookie?.includes('session=2')) {
          response.end('[]')
          // The slow request is refused only now that the quick one has logged in again.
          if (url === '/quick') release?.()
        } else if (url === '/slow') {
          answers.push(response)
          release = () => answers[0]?.writeHead(403).end()
        } else if (url === '/first') response.end('[]')
        else response.writeHead(403).end()
      },
    })
    const { server } = open(peer.url)
    await server.request('GET', ['first'])
    const slow = server.request('GET', ['slow'])
    await expect.poll(() => answers.length).toBe(1)
    await Promise.all([slow, server.request('GET', ['quick'])])
    expect(logins).toBe(2)
    expect(asked(peer).filter((line) => line === 'GET /slow')).toHaveLength(2)
  })

  test('renewed cookies are taken from every answer, and the XSRF header follows them', async () => {
    let count = 0
    const peer = await host({
      other: (response, { headers }) => {
        const expected = count === 0 ? 'first' : `x${count}`
        const isRight = headers['x-xsrftoken'] === expected && headers.cookie?.includes(`_xsrf=${expected}`)
        count += 1
        response.writeHead(isRight ? 200 : 500, { 'set-cookie': `_xsrf=x${count}; Path=/` }).end('[]')
      },
    })
    const { server } = open(peer.url)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
      await server.request(method, ['api', 'x'])
    expect(asked(peer).filter((line) => line === POST)).toHaveLength(1)
  })
})
