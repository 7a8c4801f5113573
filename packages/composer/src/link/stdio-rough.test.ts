import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { call, createAsker, createLinks, program, rawOf, textOf } from './link.fixture.ts'

const links = createLinks()
afterEach(links.closeAll)

const ROUGH = 'rough-server.ts'

describe('the bytes of a result', () => {
  const shared = createLinks()
  let opened: Awaited<ReturnType<typeof shared.open>>
  beforeAll(async () => {
    opened = await shared.open(program(ROUGH))
  })
  afterAll(shared.closeAll)

  test.each([
    [
      '{"jsonrpc":"2.0","id":$id,"result":{ "n" : 12345678901234567890,"t":"\\u00e9\\/é" }}',
      '{ "n" : 12345678901234567890,"t":"\\u00e9\\/é" }',
    ],
    ['{"result":{"n":1.0e+2},"jsonrpc":"2.0","id":$id}', '{"n":1.0e+2}'],
    ['{"id": $id, "result": {"a": [1, 2]}, "jsonrpc": "2.0"}', '{"a": [1, 2]}'],
    ['  {"jsonrpc":"2.0","id":$id,"result":{"cr":true}}  \r', '{"cr":true}'],
    ['{"jsonrpc":"2.0","id":$id,"result":{"a":\r1}}', '{"a": 1}'],
  ])('are those that the server wrote: %j', async (line, expected) => {
    const { link, told } = opened
    expect(rawOf(await call(link, 'raw', { line }))).toBe(expected)
    expect(told.garbage).toBe(0)
  })

  test.each([
    ['{"jsonrpc":"2.0","id":"$id","result":{"b":1}}', '{"b":1}'],
    ['{"jsonrpc":"2.0","id":$id,"result":{"a":1},"error":null}', '{"a":1}'],
    ['{"jsonrpc":"2.0","id":$id,"result":{"a":1},"more":2}', '{"a":1}'],
  ])('are at least the value where the message is odd: %j', async (line, expected) => {
    const { link } = opened
    expect(rawOf(await call(link, 'raw', { line }))).toBe(expected)
  })

  test.each([
    ['{"jsonrpc":"2.0","id":$id,"result":{"a":}}', -32603, 'no valid JSON'],
    [
      '{"jsonrpc":"2.0","id":$id,"error":{"code":-5,"message":"own words","data":{"k":[1]}}}',
      -5,
      'own words',
    ],
    ['{"jsonrpc":"2.0","id":$id,"error":"broken"}', -32603, 'has no code and message'],
  ])('are an error where there is none to use: %j', async (line, code, words) => {
    const { link } = opened
    const reply = await call(link, 'raw', { line })
    expect(reply).toMatchObject({ error: { code, message: expect.stringContaining(words) } })
  })

  test.each(['null', '"text"', '7', 'true', '[{"content":[]}]', '""', ' [ ]'])(
    'are refused where they are no object, whichever way they were found: %s',
    async (result) => {
      const { link } = opened
      const message = 'MCP server "test" answered tools/call with a result that is no object.'
      for (const more of ['', ',"more":2']) {
        const line = `{"jsonrpc":"2.0","id":$id,"result":${result}${more}}`
        expect(await call(link, 'raw', { line })).toEqual({ error: { code: -32603, message } })
      }
    },
  )

  test('may be millions', async () => {
    const { link } = opened
    expect(textOf(await call(link, 'long', { bytes: 5_000_000 })).length).toBe(5_000_000)
  })
})

describe('a server that misbehaves', () => {
  test.each([
    ['twice', 1],
    ['wrong-id', 1],
    ['garbage', 7],
  ])('(%s) is understood, and the nonsense counted', async (mode, count) => {
    const { link, told } = await links.open(program(ROUGH, mode))
    expect(textOf(await call(link, 'echo', { n: 1 }))).toBe('{"n":1}')
    await link.ping(5000)
    expect(told.garbage).toBe(count)
    expect(textOf(await call(link, 'echo', { n: 2 }))).toBe('{"n":2}')
  })

  test('is not heard when it answers what was cancelled', async () => {
    const { link, told } = await links.open(program(ROUGH, 'late'))
    const cancelled = new AbortController()
    const waiting = call(link, 'hang', {}, createAsker({ signal: cancelled.signal }))
    await expect.poll(() => told.stderr.join()).toContain('hanging')
    cancelled.abort(new Error('no longer wanted'))
    await expect(waiting).rejects.toMatchObject({ name: 'LinkError', fault: 'aborted' })
    await expect.poll(() => told.stderr.join()).toContain('no longer wanted')
    await expect.poll(() => told.garbage).toBe(1)
    await expect(call(link, 'echo', {}, createAsker({ signal: cancelled.signal }))).rejects.toMatchObject({
      fault: 'aborted',
    })
    expect(textOf(await call(link, 'echo', { n: 1 }))).toBe('{"n":1}')
  })

  test('cannot hurt with depth', async () => {
    const { link } = await links.open(program(ROUGH, 'deep'))
    expect(await call(link, 'echo')).toMatchObject({
      error: { message: expect.stringContaining('nested too deeply') },
    })
    const question = `{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{"a":${'['.repeat(500)}${']'.repeat(500)}}}`
    expect(textOf(await call(link, 'ask', { line: question }))).toContain('nested too deeply')
  })

  test('may storm', async () => {
    const { link, told } = await links.open(program(ROUGH, 'storm'))
    expect(textOf(await call(link, 'echo', { n: 1 }))).toBe('{"n":1}')
    expect(told.logs).toHaveLength(20_000)
  })

  test.each([
    ['floods without a newline', 'flood', {}],
    ['answers with more than we accept', 'long', { bytes: 2_000_000 }],
  ])('(it %s) is ended', async (_what, tool, args) => {
    const { link } = await links.open(program(ROUGH), { maxMessageBytes: 1_000_000 })
    await expect(call(link, tool, args)).rejects.toMatchObject({
      fault: 'lost',
      message: expect.stringContaining('wrote a line of more than 1000000 bytes'),
    })
    await expect(link.ended).resolves.toMatchObject({ signal: 'SIGKILL', isClosed: false })
  })

  test('that never reads is not written to without end', async () => {
    const { link } = await links.open(program(ROUGH, 'deaf'))
    const text = 'x'.repeat(1_000_000)
    const outcomes = Array.from({ length: 20 }, () => call(link, 'echo', { text }))
    const failed = outcomes.map((outcome) => outcome.catch((error: unknown) => error))
    await expect(failed.at(-1)).resolves.toMatchObject({
      fault: 'unsent',
      message: expect.stringMatching(/left \d+ bytes of its stdin unread/),
    })
    await link.close()
    await expect(failed.at(0)).resolves.toMatchObject({ fault: 'lost' })
  })
})
