import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { kernelIds } from '../fixtures/jupyter-api.ts'
import { codeCell, readNotebookFile, writeNotebook } from '../fixtures/notebook-files.ts'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'
import { createKeptLog, type KeptLog, startPeer } from '../upstream/peer.fixture.ts'

let first: Jupyter
let second: Jupyter
let bench: ToolBench
let log: KeptLog

beforeAll(async () => {
  ;[first, second] = await Promise.all([startJupyter(), startJupyter({ password: 'open-sesame' })])
  writeNotebook(first.root, 'here.ipynb', [codeCell('c', '1')])
  writeNotebook(second.root, 'there.ipynb', [codeCell('c', '2')])
})

afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()])
})

beforeEach(async () => {
  log = createKeptLog()
  bench = await startToolClient({ jupyter: first, logger: log.logger })
  await bench.call('use_notebook', { notebook_name: 'mine', notebook_path: 'here.ipynb' })
})

afterEach(async () => {
  await bench.close()
})

const connect = (args: Record<string, unknown>) => bench.call('connect_to_jupyter', args)
const files = async () => (await bench.call('list_files')).text

describe('to a server that answers', () => {
  test.each([
    ['token', () => ({ jupyter_token: second.token }), 'Token-based'],
    ['password', () => ({ jupyter_password: 'open-sesame' }), 'Password-based'],
    ['password', () => ({ jupyter_token: 'wrong', jupyter_password: 'open-sesame' }), 'Password-based'],
  ])('by its %s', async (authentication, credentials, marker) => {
    verifies('NB-TOOL-18', 'NB-TOOL-31')
    const reply = await connect({ jupyter_url: `${second.url}/`, ...credentials() })
    expect(reply.isError).toBe(false)
    expect(reply.text).toContain(second.url)
    expect(reply.text).toContain('jupyter')
    expect(reply.text).toContain(`Authentication: ${marker}`)
    expect(reply.structured).toEqual({
      jupyter_url: second.url,
      document_provider: 'jupyter',
      authentication,
      released_notebooks: ['mine'],
    })
    expect(await files()).toContain('there.ipynb')
    for (const secret of [second.token, 'open-sesame']) {
      expect(JSON.stringify(reply)).not.toContain(secret)
      expect(log.text()).not.toContain(secret)
    }
  })

  test('lets the notebooks of the old server go, and shuts down the kernels that it started for them', async () => {
    verifies('NB-CARE-6')
    const { structured } = await bench.call('execute_code', { code: '1' })
    expect(await kernelIds(first)).toEqual([structured.kernel_id])
    const reply = await connect({ jupyter_url: second.url, jupyter_token: second.token })
    expect(reply.text).toContain("'mine'")
    expect(await kernelIds(first)).toEqual([])
    const refused = await bench.call('read_notebook', { notebook_name: 'mine' })
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('is not connected') })
    expect((await bench.call('list_notebooks')).text).toContain('No managed notebooks')
    await bench.call('use_notebook', { notebook_name: 'new', notebook_path: 'there.ipynb' })
    expect((await bench.call('read_cell', { cell_index: 0 })).text).toContain('2')
  })

  test('takes an explicit null for what may be left out', async () => {
    const reply = await connect({
      jupyter_url: second.url,
      jupyter_token: second.token,
      jupyter_password: null,
      document_provider: null,
    })
    expect(reply.isError).toBe(false)
  })
})

describe('that does not work', () => {
  test.each([
    [
      'a wrong token',
      () => ({ jupyter_url: second.url, jupyter_token: 'canary-token' }),
      /authentication|refused|403/i,
    ],
    ['a wrong password', () => ({ jupyter_url: second.url, jupyter_password: 'canary-pass' }), /password/i],
    ['no credentials', () => ({ jupyter_url: second.url }), /authentication|refused|403/i],
    [
      'empty credentials',
      () => ({ jupyter_url: second.url, jupyter_token: '' }),
      /authentication|refused|403/i,
    ],
    [
      'nobody there',
      () => ({ jupyter_url: 'http://127.0.0.1:9', jupyter_token: 'canary-token' }),
      /127\.0\.0\.1:9/,
    ],
    ['a token in the address', () => ({ jupyter_url: `${second.url}/?token=canary-token` }), /jupyter_url/],
    [
      'a password in the address',
      () => ({ jupyter_url: 'http://me:canary-pass@127.0.0.1:1' }),
      /jupyter_url/,
    ],
    ['no address', () => ({}), /jupyter_url/],
    ['an empty address', () => ({ jupyter_url: '' }), /jupyter_url/],
    ['a file', () => ({ jupyter_url: 'file:///etc/passwd' }), /jupyter_url/],
    [
      'another provider',
      () => ({ jupyter_url: second.url, document_provider: 'datalayer' }),
      /document_provider/,
    ],
    ['a number for a token', () => ({ jupyter_url: second.url, jupyter_token: 7 }), /jupyter_token/],
  ])('%s leaves the old connection and its notebooks as they were', async (_what, args, sentence) => {
    verifies('NB-CARE-5', 'NB-REPLY-1')
    const reply = await connect(args())
    expect(reply.isError).toBe(true)
    expect(reply.text).toMatch(sentence)
    expect(await files()).toContain('here.ipynb')
    expect((await bench.call('read_cell', { cell_index: 0, notebook_name: 'mine' })).isError).toBe(false)
    expect(JSON.stringify(reply) + log.text()).not.toContain('canary')
  })

  test('sends nothing of the old server to the new one', async () => {
    verifies('NB-CRED-4')
    const peer = await startPeer((_request, response) => response.writeHead(403).end('{"message": "no"}'))
    try {
      const reply = await connect({ jupyter_url: peer.url })
      expect(reply.isError).toBe(true)
      expect(peer.requests.length).toBeGreaterThan(0)
      const sent = peer.requests.map(({ url, rawHeaders }) => JSON.stringify([url, rawHeaders])).join('\n')
      expect(sent).not.toContain(first.token)
      expect(sent).not.toMatch(/authorization|cookie/i)
    } finally {
      await peer.close()
    }
  })
})

test('with documents on one server and code on another, each does its part', async () => {
  verifies('NB-MODE-8', 'NB-TOOL-2', 'NB-UP-3')
  const split = await startToolClient({ jupyter: first, sandbox: second })
  try {
    await split.call('use_notebook', { notebook_name: 'n', notebook_path: 'here.ipynb' })
    const reply = await split.call('execute_cell', { cell_id: 'c' })
    const id = String(reply.structured.kernel_id)
    expect(reply.structured).toMatchObject({ status: 'ok', written: true })
    expect(readNotebookFile(first.root, 'here.ipynb').cells).toMatchObject([
      { outputs: [{ output_type: 'execute_result', data: { 'text/plain': '1' } }] },
    ])
    expect(await kernelIds(second)).toEqual([id])
    expect(await kernelIds(first)).not.toContain(id)
    const { structured } = await split.call('list_kernels')
    expect(structured).toMatchObject({ kernels: [{ id }] })
  } finally {
    await split.close()
  }
  expect(await kernelIds(second)).toEqual([])
})
