import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@quire/kit/config/config-error'
import { readConfig, secretsOf } from '@quire/kit/config/read-config'
import type { Setting } from '@quire/kit/config/settings'
import { verifies } from '@quire/spec/verifies'
import { describe, expect, test } from 'vitest'
import { connectSettings, notebookSettings, stopSettings, toNotebookConfig } from './settings.ts'

const read = (sources: { flags?: Record<string, unknown>; env?: Record<string, string> }) =>
  toNotebookConfig(readConfig(notebookSettings, sources), '1.2.3')
const faultOf = (sources: { flags?: Record<string, unknown>; env?: Record<string, string> }) => {
  try {
    read(sources)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'no fault'
}

const A = 'http://a.example'
const B = 'http://b.example'

test('the defaults', () => {
  verifies('NB-MODE-5', 'NB-MODE-6')
  expect(read({})).toEqual({
    version: '1.2.3',
    targets: {
      document: { url: 'http://localhost:8888' },
      sandbox: { url: 'http://localhost:8888' },
    },
    executionTimeoutSeconds: 120,
    maxExecutionTimeoutSeconds: 3600,
    maxOutputBytes: 65_536,
    images: true,
    readOnly: false,
    allowedPaths: [],
    recordCode: false,
  })
  expect(readConfig(notebookSettings, {})).toMatchObject({
    transport: 'stdio',
    host: '127.0.0.1',
    port: 4040,
    insecureMcpNoauth: false,
  })
})

describe('environment and flags', () => {
  const simple = [
    ['URL', 'url'],
    ['TOKEN', 'token'],
    ['PASSWORD', 'password'],
  ] as const
  test.each(simple)('NOTEBOOK_%s is for both sides, by all its names', (word, key) => {
    verifies('NB-ENV-13', 'NB-FLAG-2', 'NB-FLAG-3', 'NB-FLAG-4', 'NB-FLAG-20')
    const value = key === 'url' ? A : 'some-secret'
    const sources = [
      { env: { [`NOTEBOOK_${word}`]: value } },
      { env: { [`JUPYTER_${word}`]: value } },
      { flags: { [`notebook-${key}`]: value } },
      { flags: { [`jupyter-${key}`]: value } },
      { flags: { [`notebook-${key}`]: value }, env: { [`NOTEBOOK_${word}`]: 'http://other.example' } },
      { env: { [`NOTEBOOK_${word}`]: value, [`JUPYTER_${word}`]: 'http://other.example' } },
    ]
    for (const source of sources) {
      const { document, sandbox } = read(source).targets
      expect([document[key], sandbox[key]], JSON.stringify(source)).toEqual([value, value])
    }
  })

  test.each([
    ['DOCUMENT', 'document', 'sandbox'],
    ['CODE_SANDBOX', 'sandbox', 'document'],
  ] as const)('%s_* is for its own side', (prefix, side, other) => {
    verifies('NB-FLAG-10', 'NB-FLAG-11')
    const flag = prefix.toLowerCase().replace('_', '-')
    for (const source of [
      {
        env: { NOTEBOOK_URL: B, [`${prefix}_URL`]: A, [`${prefix}_TOKEN`]: 't', [`${prefix}_PASSWORD`]: 'p' },
      },
      {
        env: { NOTEBOOK_URL: B },
        flags: { [`${flag}-url`]: A, [`${flag}-token`]: 't', [`${flag}-password`]: 'p' },
      },
    ]) {
      const { targets } = read(source)
      expect(targets[side]).toEqual({ url: A, token: 't', password: 'p' })
      expect(targets[other]).toEqual({ url: B })
    }
  })

  test('the token of clients and the token of the sandbox are two', () => {
    verifies('NB-ENV-11')
    const settings = readConfig(notebookSettings, {
      env: { MCP_TOKEN: 'ours', CODE_SANDBOX_TOKEN: 'theirs' },
    })
    expect([settings.mcpToken, settings.codeSandboxToken]).toEqual(['ours', 'theirs'])
    const { targets } = toNotebookConfig(settings, '1')
    expect(JSON.stringify(targets)).not.toContain('ours')
  })

  test.each([
    [{ EXECUTION_TIMEOUT: '7' }, { executionTimeoutSeconds: 7 }],
    [{ JUPYTER_MCP_EXECUTION_TIMEOUT: '7' }, { executionTimeoutSeconds: 7 }],
    [{ JUPYTER_MCP_MAX_EXECUTION_TIMEOUT: '700' }, { maxExecutionTimeoutSeconds: 700 }],
    [{ MAX_OUTPUT_BYTES: '2048' }, { maxOutputBytes: 2048 }],
    [{ NO_IMAGES: '1' }, { images: false }],
    [{ NO_IMAGES: 'n' }, { images: true }],
    [{ ALLOW_IMG_OUTPUT: 'disable' }, { images: false }],
    [{ ALLOW_IMG_OUTPUT: '0' }, { images: false }],
    [{ ALLOW_IMG_OUTPUT: 'False' }, { images: false }],
    [{ ALLOW_IMG_OUTPUT: 'enabled' }, { images: true }],
    [{ READ_ONLY: 'true' }, { readOnly: true }],
    [{ ALLOWED_PATH: 'a,b/c' }, { allowedPaths: ['a', 'b/c'] }],
    [{ AUDIT_FILE: '/tmp/x' }, { auditFile: '/tmp/x' }],
    [{ RECORD_CODE: '1' }, { recordCode: true }],
    [{ DOCUMENT_ID: 'a.ipynb', CODE_SANDBOX_ID: 'k' }, { targets: { documentId: 'a.ipynb', kernelId: 'k' } }],
    [{ PROVIDER: 'jupyter', DOCUMENT_PROVIDER: 'jupyter' }, {}],
  ])('%o', (env, expected) => {
    expect(read({ env })).toMatchObject(expected)
  })

  test.each(['NOTEBOOKHUB_ALLOW_TOKEN_IN_URL', 'JUPYTERHUB_ALLOW_TOKEN_IN_URL'])('%s=1', (variable) => {
    verifies('NB-HUB-7')
    const allowed = { allowTokenInUrl: true }
    expect(read({ env: { [variable]: '1' } }).targets).toMatchObject({ sandbox: allowed, document: allowed })
    expect(read({ env: {} }).targets.sandbox.allowTokenInUrl ?? false).toBe(false)
  })

  test.each([
    ['NOTEBOOK_URL', 'None'],
    ['NOTEBOOK_URL', 'null'],
    ['NOTEBOOK_URL', ''],
    ['NOTEBOOK_TOKEN', 'NONE'],
    ['NOTEBOOK_PASSWORD', 'Null'],
    ['DOCUMENT_URL', 'none'],
    ['DOCUMENT_TOKEN', 'none'],
    ['DOCUMENT_ID', 'None'],
    ['CODE_SANDBOX_ID', 'none'],
  ])('%s=%s says nothing', (variable, value) => {
    expect(read({ env: { [variable]: value } })).toEqual(read({}))
  })

  test('secrets may lie in files, and are known as secrets', () => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-settings-'))
    const secrets = Object.values<Setting>(notebookSettings).filter(({ secret }) => secret)
    expect(secrets).toHaveLength(7)
    try {
      const env = Object.fromEntries(
        secrets.map(({ env: [variable = ''] = [] }) => {
          writeFileSync(join(folder, variable), `of-${variable.toLowerCase()}\n`)
          return [`${variable}_FILE`, join(folder, variable)]
        }),
      )
      const settings = readConfig(notebookSettings, { env })
      expect(settings).toMatchObject({ mcpToken: 'of-mcp_token', documentPassword: 'of-document_password' })
      expect(secretsOf(notebookSettings, settings)).toHaveLength(7)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('every flag has the variable of its own name', () => {
  const flags = Object.entries<Setting>(notebookSettings).flatMap(([name, setting]) =>
    setting.flag === undefined ? [] : [[setting.flag, name, setting] as const],
  )
  /** Something that each schema takes. */
  const samples = ['1', 'jupyter', 'stdio', 'http://x.example', 'info', '127.0.0.1', '2048']

  test.each(flags)('--%s', (flag, name, { schema, list, value }) => {
    verifies('NB-ENV-14')
    const variable = flag.toUpperCase().replaceAll('-', '_')
    const isSwitch = value === undefined
    const sample = isSwitch
      ? '1'
      : (samples.find((text) => schema.safeParse(list ? [text] : text).success) ?? 'no sample fits')
    const fromFlag = readConfig(notebookSettings, {
      flags: { [flag]: isSwitch ? true : list ? [sample] : sample },
    })
    const fromVariable = readConfig(notebookSettings, { env: { [variable]: sample } })
    expect(fromVariable).toEqual(fromFlag)
    expect(fromVariable[name as keyof typeof fromVariable]).toEqual(
      schema.parse(isSwitch ? true : list ? [sample] : sample),
    )
  })
})

describe('what is refused', () => {
  test.each([
    [{ TRANSPORT: 'sse' }, /--transport .*must be stdio or streamable-http/],
    [{ TRANSPORT: 'http' }, /--transport/],
    [{ PROVIDER: 'datalayer' }, /--document-provider .*must be jupyter/],
    [{ NOTEBOOK_URL: 'localhost:8888' }, /--notebook-url .*must be an http or https address/],
    [{ NOTEBOOK_URL: 'ftp://x' }, /must be an http or https address/],
    [{ NOTEBOOK_URL: 'http://ada:canary@x' }, /must not hold a name or a password/],
    [{ NOTEBOOK_URL: 'http://x/lab?token=canary' }, /without "\?" or "#"/],
    [{ DOCUMENT_URL: 'http://x#token=canary' }, /--document-url .*without "\?" or "#"/],
    [{ NOTEBOOK_TOKEN: 'canary\nx' }, /--notebook-token .*visible ASCII/],
    [{ MCP_TOKEN: 'canary x' }, /--mcp-token .*may hold only letters/],
    [{ EXECUTION_TIMEOUT: '0' }, /--execution-timeout .*at least 1 second/],
    [{ EXECUTION_TIMEOUT: '-5' }, /at least 1 second/],
    [{ EXECUTION_TIMEOUT: '1.5' }, /whole seconds/],
    [{ EXECUTION_TIMEOUT: 'soon' }, /must be a number of seconds/],
    [{ MAX_EXECUTION_TIMEOUT: '99999999' }, /must be at most/],
    [{ EXECUTION_TIMEOUT: '4000' }, /--execution-timeout .*must not be longer than --max-execution-timeout/],
    [{ MAX_OUTPUT_BYTES: '1000' }, /--max-output-bytes .*at least 1024/],
    [{ ALLOW_IMG_OUTPUT: 'perhaps' }, /ALLOW_IMG_OUTPUT .*must be 1 or 0/],
    [{ READ_ONLY: 'perhaps' }, /--read-only .*must be 1 or 0/],
    [{ NOTEBOOKHUB_ALLOW_TOKEN_IN_URL: 'perhaps' }, /must be 1 or 0/],
    [{ ALLOWED_PATH: ' , ' }, /--allowed-path .*names nothing/],
    [{ ALLOWED_PATH: '../x' }, /--allowed-path \(\.\.\/x\): .*goes up/],
    [{ ALLOWED_PATH: 'data,a\\b' }, /--allowed-path .*backslash/],
    [{ DOCUMENT_ID: '../x.ipynb' }, /--document-id \(\.\.\/x\.ipynb\): .*goes up/],
    [{ DOCUMENT_ID: '/etc/%2e%2e/x.ipynb' }, /--document-id .*percent-encoded/],
    [{ DOCUMENT_ID: 'x.ipynb', ALLOWED_PATH: 'data' }, /--document-id .*outside of what may be used/],
    [{ PORT: '70000' }, /--port .*0 to 65535/],
  ])('%o', (env, expected) => {
    const fault = faultOf({ env })
    expect(() => read({ env })).toThrow(ConfigError)
    expect(fault).toMatch(expected)
    expect(fault.split('\n')).toHaveLength(1)
    expect(fault).not.toContain('canary')
  })
})

test('a slash at the end of an address makes no difference, its path does', () => {
  const { document } = read({ env: { NOTEBOOK_URL: 'http://hub.example/user/ada/' } }).targets
  expect(document.url).toBe('http://hub.example/user/ada')
})

test('connect and stop find the server where it is, by all its names', () => {
  for (const settings of [connectSettings, stopSettings]) {
    expect(readConfig(settings, {}).serverUrl).toBe('http://localhost:4040')
    for (const sources of [
      { env: { NOTEBOOK_MCP_SERVER_URL: A } },
      { env: { JUPYTER_MCP_SERVER_URL: A } },
      { flags: { 'server-url': A } },
      { flags: { 'jupyter-mcp-server-url': A } },
    ])
      expect(readConfig(settings, sources).serverUrl).toBe(A)
    expect(readConfig(settings, { env: { SERVER_URL: A } }).serverUrl).toBe('http://localhost:4040')
  }
})

test.each(['code-sandbox', 'notebook', 'jupyter'])('connect takes the server by --%s-*', (prefix) => {
  const flags = { [`${prefix}-url`]: A, [`${prefix}-token`]: 't', [`${prefix}-password`]: 'p' }
  expect(readConfig(connectSettings, { flags })).toMatchObject({
    codeSandboxUrl: A,
    codeSandboxToken: 't',
    codeSandboxPassword: 'p',
  })
})
