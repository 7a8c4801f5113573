import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { send, startApi } from './parts.fixture.ts'

const api = await startApi()
afterAll(api.close)
beforeEach(() => {
  api.state.faults = []
})

const INVOKE = 'POST /tools/alpha:add/invoke'
const GET_PROMPT = 'POST /prompts/alpha:greet/get'
const APPROVE = 'POST /tools/alpha:add/approve'
const READ = 'POST /resources/read'
const CONFIG = 'PUT /config'
const VALIDATE = 'POST /config/validate'
const TRANSLATE = 'POST /translators'

const ONE = { type: 'stdio-to-http', name: 'one', command: ['node'] }
const LONG = 'x'.repeat(40_000)
const ARGUMENTS =
  'body: must be the object of the arguments, such as {"name": "value"}; {} where there are none'
const COMMAND =
  'must be a program, or a list of the program and its arguments, up to 256 texts of 4096 characters'
const TYPE = 'body.type: must be "stdio-to-http", "sse-to-http" or "http-to-stdio"'
const URI = 'must be a text of 1 to 8192 characters'
const DOCUMENT = 'must be the object of the configuration, as GET /config shows it'

const ask = (route: string, body: unknown) => {
  const [method = '', path = ''] = route.split(' ')
  return api.call(`/api/v1${path}`, send(method, body))
}

describe.each<[string, readonly [unknown, string][]]>([
  [INVOKE, [[[], ARGUMENTS]]],
  [
    GET_PROMPT,
    [
      ['x', ARGUMENTS],
      [
        { arguments: { who: 'ada' } },
        'The body is the object of the arguments itself: send {…} in place of {"arguments": {…}}.',
      ],
    ],
  ],
  [
    APPROVE,
    [
      [[], 'body: must be an object with "hash"'],
      [{ hash: 1 }, 'body.hash: must be a text of 1 to 128 characters'],
      [{ hsh: 'x' }, 'body: has "hsh", which there is not here: it takes "hash"'],
    ],
  ],
  [
    READ,
    [
      [[], 'body: must be an object with "uri"'],
      [{}, `body.uri: is missing: it ${URI}`],
      [{ uri: 1 }, `body.uri: ${URI}`],
      [{ uri: '' }, `body.uri: ${URI}`],
      [{ uri: LONG }, `body.uri: ${URI}`],
      [{ uri: 'a', x: 1, y: 2 }, 'body: has "x", "y", which there is not here: it takes "uri"'],
    ],
  ],
  ...[CONFIG, VALIDATE].map((route): [string, readonly [unknown, string][]] => [
    route,
    [
      [null, 'body: must be an object with "config"'],
      [{ config: [] }, `body.config: ${DOCUMENT}`],
      [{ composer: { port: 1 } }, `body.config: is missing: it ${DOCUMENT} (and 1 more)`],
      [{ config: {}, revision: 1 }, 'body.revision: must be a text of 1 to 256 characters'],
    ],
  ]),
  [
    TRANSLATE,
    [
      [[], 'body: must be an object with "type", "name" and what the type needs'],
      [{}, TYPE],
      [{ ...ONE, type: 'x' }, TYPE],
      [{ ...ONE, type: 1 }, TYPE],
      [
        { ...ONE, name: 1 },
        'body.name: must be 1 to 64 letters, digits, ".", "_" or "-", and begin with a letter or digit',
      ],
      [{ ...ONE, command: undefined }, `body.command: is missing: it ${COMMAND}`],
      [{ ...ONE, command: 1 }, `body.command: ${COMMAND}`],
      [{ ...ONE, command: [1] }, `body.command: ${COMMAND}`],
      [{ ...ONE, command: [] }, `body.command: ${COMMAND}`],
      [{ ...ONE, command: '' }, `body.command: ${COMMAND}`],
      [{ ...ONE, args: 'x' }, 'body.args: must be a list of up to 256 texts'],
      [{ ...ONE, args: [1] }, 'body.args[0]: must be a text of up to 4096 characters'],
      [{ ...ONE, env: [] }, 'body.env: must be an object of names and texts'],
      [{ ...ONE, env: { A: 1 } }, 'body.env.A: must be a text of up to 32768 characters'],
      [{ ...ONE, env: { '': 'x' } }, 'body.env.: must be an object of names and texts'],
      [{ ...ONE, env: { [LONG]: 'x' } }, `body.env.${LONG}: has a name of more than 256 characters`],
      [{ ...ONE, working_dir: '' }, 'body.working_dir: must be a text of 1 to 4096 characters'],
      [
        { type: 'sse-to-http', name: 'two' },
        'body.url: is missing: it must be a text of 1 to 4096 characters',
      ],
      [
        { type: 'http-to-stdio', name: 'two', url: 'http://x', command: 'node' },
        'body: has "command", which there is not here: it takes "type", "name", "url"',
      ],
    ],
  ],
])('%s', (route, bodies) => {
  test.each(bodies)('says of %j what to send', async (body, detail) => {
    verifies('CO-ERR-2')
    const answer = await ask(route, body)
    expect(answer).toMatchObject({ status: 400, body: { detail, error_code: 'VALIDATION_ERROR' } })
    for (const { message } of answer.body.errors ?? [])
      expect(message).not.toMatch(/Invalid|expected|Too (?:big|small)|Unrecognized/)
  })
})

test('arguments that are wrapped as MCP does it are explained where they do not fit', async () => {
  api.state.faults = [{ path: 'a', message: 'is missing' }]
  const wrapped = await ask(INVOKE, { arguments: { a: 1 } })
  expect(wrapped.body.detail).toMatch(
    /a: is missing\. The body is the object of the arguments itself: send \{…\} in place of \{"arguments": \{…\}\}\.$/,
  )
  expect((await ask(INVOKE, { b: 1 })).body.detail).toMatch(/a: is missing$/)
})

test.each([
  ['/servers?status=x', 'query.status: must be "starting", "running", "stopping", "stopped" or "crashed"'],
  ['/tools?search=a&search=b', 'query.search: must be a text of up to 256 characters'],
  [`/tools?server=${'x'.repeat(257)}`, 'query.server: must be a text of up to 256 characters'],
  [`/servers/${'x'.repeat(257)}`, 'path.server_id: must be a text of 1 to 256 characters'],
])('GET %s is refused in words that say what to ask for', async (path, detail) => {
  expect(await api.call(`/api/v1${path}`)).toMatchObject({ status: 400, body: { detail } })
})
