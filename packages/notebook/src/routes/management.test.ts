import { createKeyRing } from '@quire/kit/auth/key-ring'
import { hashToken } from '@quire/kit/auth/token'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startStandIn } from '../fixtures/stand-in.ts'
import { ToolError } from '../tool-error.ts'

const TOKEN = 'shared-token-0123456789'
const { verify } = createKeyRing([{ hash: hashToken(TOKEN), subject: 'mcp-client' }])
const guarded = await startStandIn({ authentication: { realm: 'notebook-tools', verify } })
afterAll(guarded.close)

beforeEach(() => {
  guarded.asked.connect.length = 0
  guarded.asked.stop = 0
  guarded.answers.connect = async () => undefined
  guarded.answers.kernelStatus = async () => 'alive'
})

describe('GET /api/healthz', () => {
  const health = async () => {
    const response = await fetch(`${guarded.url}/api/healthz`)
    return { status: response.status, body: await response.json() }
  }

  test.each(['alive', 'dead', 'not_initialized', 'unknown', 'error'] as const)(
    'answers everybody, and tells that the kernel is %s',
    async (status) => {
      verifies('NB-MGMT-1', 'NB-MGMT-2', 'NB-MGMT-3')
      guarded.answers.kernelStatus = async () => status
      expect(await health()).toEqual({
        status: 200,
        body: {
          success: true,
          service: 'notebook-tool-server',
          status: 'healthy',
          message: expect.stringMatching(/\w/),
          kernel_status: status,
        },
      })
    },
  )

  test('does not fail when the kernels cannot be asked', async () => {
    verifies('NB-MGMT-3')
    guarded.answers.kernelStatus = () => Promise.reject(new Error('no'))
    expect(await health()).toMatchObject({ status: 200, body: { kernel_status: 'error' } })
  })

  test('does not wait for a notebook server that hangs', async () => {
    guarded.answers.kernelStatus = () => new Promise(() => undefined)
    expect(await health()).toMatchObject({ status: 200, body: { kernel_status: 'unknown' } })
  })
})

describe('PUT /api/connect', () => {
  const connect = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${guarded.url}/api/connect`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, body: await response.json() }
  }
  const URL_A = 'http://a.example:8888/user/ada'
  const URL_B = 'http://b.example'

  test('takes all that it knows', async () => {
    verifies('NB-MGMT-6')
    const answer = await connect({
      code_sandbox_url: `${URL_A}/`,
      code_sandbox_id: 'kernel-1',
      code_sandbox_token: 'token-of-a',
      code_sandbox_password: 'password-of-a',
      document_url: URL_B,
      document_id: 'work.ipynb',
      document_token: 'token-of-b',
      document_password: 'password-of-b',
      document_provider: 'jupyter',
    })
    expect(answer).toEqual({ status: 200, body: { success: true } })
    expect(guarded.asked.connect).toEqual([
      {
        sandbox: { url: URL_A, token: 'token-of-a', password: 'password-of-a' },
        document: { url: URL_B, token: 'token-of-b', password: 'password-of-b' },
        documentId: 'work.ipynb',
        kernelId: 'kernel-1',
      },
    ])
  })

  test.each([
    ['left out', {}],
    ['null', { document_url: null, document_id: null, code_sandbox_token: null, provider: null }],
    ['the word None', { document_url: 'None', document_token: 'none', code_sandbox_password: 'NONE' }],
    ['the word null', { document_url: 'null', code_sandbox_id: 'NULL', document_provider: 'null' }],
    ['empty', { document_url: '', document_password: '', document_id: '' }],
    ['an older name of what is known', { provider: 'jupyter' }],
  ])('needs only the server for code; the rest may be %s', async (_what, rest) => {
    verifies('NB-MGMT-6', 'NB-MGMT-7')
    expect(await connect({ code_sandbox_url: URL_A, ...rest })).toMatchObject({ status: 200 })
    const [targets] = guarded.asked.connect
    expect(targets).toEqual({ document: { url: URL_A }, sandbox: { url: URL_A } })
    expect(targets?.document).toBe(targets?.sandbox)
  })

  test('a server for documents has only its own credentials', async () => {
    await connect({ code_sandbox_url: URL_A, code_sandbox_token: 't', document_url: URL_B })
    expect(guarded.asked.connect).toMatchObject([{ sandbox: { token: 't' }, document: { token: undefined } }])
  })

  test.each<[string, unknown]>([
    ['nothing', ''],
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['nothing in it', {}],
    ['no server for code', { document_url: URL_A }],
    ['null for it', { code_sandbox_url: null }],
    ['None for it', { code_sandbox_url: 'None' }],
    ['a number for it', { code_sandbox_url: 8888 }],
    ['no address', { code_sandbox_url: 'localhost:8888' }],
    ['another kind of address', { code_sandbox_url: 'file:///etc/passwd' }],
    ['a password in the address', { code_sandbox_url: 'http://a:canary-secret@x' }],
    ['a token in the address', { code_sandbox_url: 'http://x/?token=canary-secret' }],
    ['an endless address', { code_sandbox_url: `http://x/${'/'.repeat(100_000)}x` }],
    ['a document that is no address', { code_sandbox_url: URL_A, document_url: 'x' }],
    ['a token that is a list', { code_sandbox_url: URL_A, code_sandbox_token: ['canary-secret'] }],
    ['another provider', { code_sandbox_url: URL_A, document_provider: 'datalayer' }],
    ['a field that nobody knows', { code_sandbox_url: URL_A, notebook_token: 'canary-secret' }],
    ['a field of every object', `{"code_sandbox_url":"${URL_A}","__proto__":{"x":1}}`],
    ['depths', `${'['.repeat(100)}${']'.repeat(100)}`],
  ])('a body with %s is 400', async (_what, body) => {
    verifies('NB-MGMT-9')
    const answer = await connect(body)
    expect(answer).toEqual({ status: 400, body: { success: false, error: expect.stringMatching(/\w/) } })
    expect(JSON.stringify(answer)).not.toContain('canary')
    expect(guarded.asked.connect).toEqual([])
  })

  test('a body that is not JSON by its type, or too large, is told apart', async () => {
    for (const [answer, status] of [
      [await connect({ code_sandbox_url: URL_A }, { 'content-type': 'text/plain' }), 415],
      [await connect(`"${'x'.repeat(1_100_000)}"`), 413],
    ] as const)
      expect(answer).toEqual({ status, body: { success: false, error: expect.any(String) } })
  })

  test.each([
    ['unreachable', 502],
    ['refused', 502],
    ['failing', 502],
    ['not_found', 502],
    ['invalid_argument', 400],
  ] as const)('a server that is %s is %i', async (code, status) => {
    verifies('NB-MGMT-10')
    guarded.answers.connect = () => Promise.reject(new ToolError(code, 'It is so.'))
    expect(await connect({ code_sandbox_url: URL_A })).toEqual({
      status,
      body: { success: false, error: 'It is so.' },
    })
  })

  test('a fault of our own is told to the log alone', async () => {
    guarded.answers.connect = () => Promise.reject(new Error('a detail of ours'))
    const answer = await connect({ code_sandbox_url: URL_A })
    expect(answer).toMatchObject({ status: 500, body: { success: false } })
    expect(JSON.stringify(answer)).not.toContain('a detail of ours')
    expect(JSON.stringify(guarded.log)).toContain('a detail of ours')
  })
})

test('DELETE /api/stop stops, as often as it is asked', async () => {
  verifies('NB-MGMT-12', 'NB-MGMT-16')
  for (const times of [1, 2]) {
    const response = await fetch(`${guarded.url}/api/stop`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    expect([response.status, await response.json()]).toEqual([200, { success: true }])
    expect(guarded.asked.stop).toBe(times)
  }
})
