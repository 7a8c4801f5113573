import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@quire/kit/config/config-error'
import { createLogger } from '@quire/kit/log'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ExecutionResult } from '../execution/execution-result.ts'
import { ToolError } from '../tool-error.ts'
import { type AuditLog, createAuditLog } from './audit.ts'
import { createHooks, type Hooks } from './hooks.ts'

const DONE: ExecutionResult = { status: 'ok', outputs: [], executionCount: 1, seconds: 0, notes: [] }
const logger = createLogger({ level: 'silent', pretty: false })

let folder: string
let path: string
let hooks: Hooks
let audit: AuditLog | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-audit-'))
  path = join(folder, 'audit.jsonl')
  hooks = createHooks(logger)
})
afterEach(async () => {
  await audit?.close()
  audit = undefined
  rmSync(folder, { recursive: true })
})

function start(options: { includeCode?: boolean; path?: string } = {}): AuditLog {
  audit = createAuditLog({ path, hooks, logger, now: () => new Date(0), ...options })
  return audit
}

function lines(): Record<string, unknown>[] {
  const text = readFileSync(path, 'utf8')
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

describe('the audit log', () => {
  test('has a line for a call when the call is answered', async () => {
    start()
    await hooks.aroundToolCall(
      {
        toolName: 'read_cell',
        subject: 'ada',
        arguments: { notebook_name: 'n', cell_index: 3, cell_id: null },
      },
      async () => ({ content: [] }),
    )
    expect(lines()).toEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        type: 'tool_call',
        call: expect.stringMatching(/^[0-9a-f-]{36}$/),
        subject: 'ada',
        tool: 'read_cell',
        notebook: 'n',
        cell_index: 3,
        outcome: 'ok',
        duration_ms: expect.any(Number),
      },
    ])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test.each([
    [{ path: 'a/b.ipynb' }, { path: 'a/b.ipynb' }],
    [
      { notebook_path: 'a.ipynb', notebook_name: 'a' },
      { path: 'a.ipynb', notebook: 'a' },
    ],
    [
      { path: 'a', new_path: 'b' },
      { path: 'a', new_path: 'b' },
    ],
    [{ cell_id: 'abc' }, { cell_id: 'abc' }],
    [{ path: { a: 'canary' }, cell_index: ['canary'] }, {}],
    [{ jupyter_url: 'http://canary@x', jupyter_token: 'canary', jupyter_password: 'canary' }, {}],
    [{ cell_source: 'canary', code: 'canary', old_string: 'canary', pattern: 'canary' }, {}],
    [{ notebook_name: 'x'.repeat(5000) }, { notebook: 'x'.repeat(1024) }],
    [{ notebook_name: 'a\n{"type":"tool_call"}\ud800' }, { notebook: 'a\n{"type":"tool_call"}\ufffd' }],
    [{ constructor: 'canary', __proto__: { path: 'canary' } }, {}],
  ])('of the arguments %j it has %j', async (given, expected) => {
    start()
    await hooks.aroundToolCall({ toolName: 'connect_to_jupyter', arguments: given }, async () => 'canary')
    const [{ time, type, call, tool, outcome, duration_ms, ...rest } = {}, ...more] = lines()
    expect(rest).toEqual(expected)
    expect(more).toEqual([])
    expect(readFileSync(path, 'utf8')).not.toContain('canary')
  })

  test('has the code of an execution by its checksum, before it is sent', async () => {
    start()
    const code = 'token = "canary-é"'
    await hooks.aroundToolCall({ toolName: 'execute_code', subject: 'ada', arguments: { code } }, () =>
      hooks.aroundExecution({ code, kernelId: 'k1', notebook: 'n' }, async () => {
        expect(lines()).toMatchObject([{ type: 'execution' }])
        return DONE
      }),
    )
    const [execution, call] = lines()
    expect(execution).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      type: 'execution',
      call: call?.call,
      subject: 'ada',
      tool: 'execute_code',
      notebook: 'n',
      kernel_id: 'k1',
      code_sha256: createHash('sha256').update(code).digest('hex'),
      code_bytes: 19,
    })
    expect(readFileSync(path, 'utf8')).not.toContain('canary')
  })

  test('has the code itself only when asked for', async () => {
    start({ includeCode: true })
    await hooks.aroundExecution({ code: 'print("é\n")', kernelId: 'k1' }, async () => DONE)
    expect(lines()).toMatchObject([{ type: 'execution', code: 'print("é\n")' }])
  })

  test.each([
    ['a failure', () => Promise.reject(new ToolError('not_found', 'canary')), 'not_found'],
    ['an error of ours', () => Promise.reject(new TypeError('canary')), 'internal'],
    ['a cancellation', async () => AbortSignal.abort().throwIfAborted(), 'cancelled'],
    ['a result that is a failure', async () => ({ isError: true, text: 'canary' }), undefined],
  ])('has %s by its code, without its text', async (_, run, error) => {
    start()
    await hooks.aroundToolCall<unknown>({ toolName: 'x', arguments: {} }, run).catch(() => undefined)
    expect(lines()).toMatchObject([{ outcome: 'error' }])
    expect(lines()[0]?.error).toBe(error)
    expect(readFileSync(path, 'utf8')).not.toContain('canary')
  })

  test('has what was vetoed by somebody in front of it', async () => {
    hooks.on('before_tool_call', () => Promise.reject(new Error('no')), { critical: true })
    start()
    await expect(hooks.aroundToolCall({ toolName: 'x', arguments: {} }, async () => 1)).rejects.toThrow()
    expect(lines()).toMatchObject([{ tool: 'x', outcome: 'error', error: 'forbidden' }])
  })

  test('has the calls in the order in which they ended, and all of them', async () => {
    start()
    const call = (n: number) => hooks.aroundToolCall({ toolName: `tool${n}`, arguments: {} }, async () => n)
    await Promise.all([...Array(100).keys()].map(call))
    expect(lines().map(({ tool }) => tool)).toEqual([...Array(100).keys()].map((n) => `tool${n}`))
  })

  test('when it cannot be written, no code is sent and no tool called', async () => {
    start({ path: '/dev/full' })
    let isRun = false
    const execute = () =>
      hooks.aroundExecution({ code: '1', kernelId: 'k' }, async () => {
        isRun = true
        return DONE
      })
    const refusal = {
      code: 'forbidden',
      message: 'A hook of this server refused it: the audit file cannot be written (ENOSPC).',
    }
    await expect(execute()).rejects.toMatchObject(refusal)
    // Its line waits to be written, and whatever is called first finds out.
    await expect(
      hooks.aroundToolCall({ toolName: 'x', arguments: {} }, async () => {
        isRun = true
      }),
    ).rejects.toMatchObject(refusal)
    expect(isRun).toBe(false)
  })

  test('a call whose own line cannot be written has failed', async () => {
    start({ path: '/dev/full' })
    await expect(hooks.aroundToolCall({ toolName: 'x', arguments: {} }, async () => 1)).rejects.toMatchObject(
      {
        code: 'failing',
        message: expect.stringContaining('the audit file cannot be written (ENOSPC)'),
      },
    )
  })

  test('when it is closed everything is in the file, and nothing more is written', async () => {
    const log = start()
    const calling = hooks.aroundToolCall({ toolName: 'x', arguments: {} }, async () => 1)
    await calling
    expect(log.close()).toBe(log.close())
    await log.close()
    await hooks.aroundToolCall({ toolName: 'y', arguments: {} }, async () => 2)
    expect(lines().map(({ tool }) => tool)).toEqual(['x'])
  })

  test('closing reports what is lost, and does not fail the shutdown', async () => {
    const written: string[] = []
    const loud = createLogger({
      level: 'error',
      pretty: false,
      destination: { write: (line) => written.push(line) },
    })
    const log = createAuditLog({ path: '/dev/full', hooks, logger: loud })
    await hooks.aroundToolCall({ toolName: 'x', arguments: {} }, async () => 1).catch(() => undefined)
    await log.close()
    expect(written.join()).toContain('could not be written')
  })

  test.each([
    ['a folder', () => folder],
    ['nowhere', () => join(folder, 'no', 'audit.jsonl')],
  ])('%s: does not start', (_, where) => {
    expect(() => start({ path: where() })).toThrow(ConfigError)
    expect(() => start({ path: where() })).toThrow(
      /--audit-file .* cannot be opened for writing: .+ Name a file /,
    )
  })

  test('a pipe that nobody reads: does not start, and does not wait', () => {
    execFileSync('sh', ['-c', 'mkfifo "$0"', path])
    expect(() => start()).toThrow('not a file')
  })
})
