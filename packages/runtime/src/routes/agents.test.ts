import { verifies } from '@quire/spec/verifies'
import { afterAll, describe, expect, test } from 'vitest'
import { startApi } from './api.fixture.ts'
import { idFromName } from './id-from-name.ts'

const api = await startApi()
afterAll(api.close)

const AGENTS = '/api/v1/agents'
const create = (body: unknown) => api.call('POST', AGENTS, body)

describe('an agent', () => {
  test('is made from little, and shown whole', async () => {
    verifies('RT-AGENT-2', 'RT-AGENT-3', 'RT-AGENT-4', 'RT-AGENT-12', 'RT-AGENT-18', 'RT-AGENT-20')
    const made = await create({ id: 'first', name: 'The first', system_prompt: 'Be brief.' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: 'first',
      name: 'The first',
      description: '',
      transport: 'streaming',
      model: 'builtin:guide',
      system_prompt: 'Be brief.',
      mcp_toolsets: [],
      max_steps: 20,
      tool_approval: false,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
    expect(await api.call('GET', `${AGENTS}/first`)).toMatchObject({ status: 200, body: made.body })
  })

  test('takes all of its fields', async () => {
    verifies('RT-AGENT-17', 'RT-AGENT-19', 'RT-AGENT-23')
    const fields = {
      id: 'a.B_c-9',
      name: 'All',
      description: 'of it',
      transport: 'ag-ui',
      model: 'openai:gpt-5',
      system_prompt: 'x'.repeat(100_000),
      mcp_toolsets: ['files', 'web'],
      max_steps: 3,
      tool_approval: true,
    }
    expect(await create(fields)).toMatchObject({ status: 201, body: fields })
    for (const transport of ['streaming', 'vercel-ai', 'a2a'])
      expect((await api.call('PUT', `${AGENTS}/a.B_c-9`, { transport })).body.transport).toBe(transport)
  })

  test('may have a model whose provider has no key here', async () => {
    verifies('RT-AGENT-21')
    expect((await create({ name: 'Keyless', model: 'anthropic:claude-sonnet-4-5' })).status).toBe(201)
  })

  test('may have all toolsets that there are', async () => {
    expect((await create({ name: 'Everything', mcp_toolsets: ['*'] })).body.mcp_toolsets).toEqual(['*'])
  })

  test('is listed in few words, in the order of making', async () => {
    verifies('RT-AGENT-1')
    const { body } = await api.call('GET', AGENTS)
    expect(body.agents.map(({ id }: { id: string }) => id)).toEqual([
      'first',
      'a.B_c-9',
      'keyless',
      'everything',
    ])
    expect(body.agents[0]).toEqual({
      id: 'first',
      name: 'The first',
      description: '',
      transport: 'streaming',
      model: 'builtin:guide',
      mcp_toolsets: [],
      tool_approval: false,
    })
    expect(body.agents[1]).toMatchObject({ mcp_toolsets: ['files', 'web'], tool_approval: true })
  })

  test('without an id gets one from its name; the same again is taken', async () => {
    verifies('RT-AGENT-14', 'RT-AGENT-15')
    expect((await create({ name: 'Data Ánalyst (2)!' })).body.id).toBe('data-analyst-2')
    expect(await create({ name: 'data analyst 2' })).toMatchObject({
      status: 409,
      body: { status_code: 409 },
    })
    expect(await create({ id: 'first', name: 'x' })).toMatchObject({ status: 409 })
    expect((await create({ name: '数据' })).body.id).toMatch(/^agent-[0-9a-f]{12}$/)
  })

  test('is changed in part', async () => {
    verifies('RT-AGENT-5', 'RT-AGENT-6')
    const before = (await api.call('GET', `${AGENTS}/first`)).body
    const changed = await api.call('PUT', `${AGENTS}/first`, {
      id: 'first',
      name: 'Other',
      tool_approval: true,
    })
    expect(changed.status).toBe(200)
    expect(changed.body).toEqual({
      ...before,
      name: 'Other',
      tool_approval: true,
      updated_at: changed.body.updated_at,
    })
    expect((await api.call('PUT', `${AGENTS}/first`, {})).body).toMatchObject({ name: 'Other' })
  })

  test('keeps its id', async () => {
    verifies('RT-AGENT-16')
    expect(await api.call('PUT', `${AGENTS}/first`, { id: 'second', name: 'x' })).toMatchObject({
      status: 400,
    })
    expect((await api.call('GET', `${AGENTS}/first`)).body.name).toBe('Other')
  })

  test('that is unknown cannot be changed', async () => {
    verifies('RT-AGENT-7', 'RT-AGENT-11')
    expect(await api.call('PUT', `${AGENTS}/none`, { name: 'x' })).toMatchObject({ status: 404 })
    expect(await api.call('GET', `${AGENTS}/none`)).toMatchObject({ status: 404 })
    expect(await api.call('DELETE', `${AGENTS}/none`)).toMatchObject({ status: 404 })
  })

  test('is removed, and its turns are cancelled', async () => {
    verifies('RT-AGENT-8')
    await create({ id: 'doomed', name: 'Doomed' })
    const removed = await api.call('DELETE', `${AGENTS}/doomed`)
    expect(removed).toMatchObject({ status: 200, body: { message: expect.stringContaining('doomed') } })
    expect(api.cancelledAgents).toEqual(['doomed'])
    expect(await api.call('GET', `${AGENTS}/doomed`)).toMatchObject({ status: 404 })
  })
})

const LONG = 'x'.repeat(200)

describe.each(['POST', 'PUT'])('%s refuses', (method) => {
  const send = (body: object) =>
    method === 'POST'
      ? api.call('POST', AGENTS, { name: 'Odd', ...body })
      : api.call('PUT', `${AGENTS}/first`, body)

  test.each<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: 1 }, 'name'],
    [{ name: null }, 'name'],
    [{ name: LONG }, 'name'],
    [{ name: 'a\0b' }, 'name'],
    [{ name: '\ud800' }, 'name'],
    [{ description: [] }, 'description'],
    [{ description: 'x\0' }, 'description'],
    [{ system_prompt: {} }, 'system_prompt'],
    [{ system_prompt: 'half \udc00 a pair' }, 'system_prompt'],
    [{ transport: 'acp' }, 'transport'],
    [{ transport: null }, 'transport'],
    [{ model: 'gpt-5' }, 'model'],
    [{ model: ':x' }, 'model'],
    [{ model: 'openai:' }, 'model'],
    [{ model: 'nobody:x' }, 'model'],
    [{ model: 'openai:a b' }, 'model'],
    [{ model: 'openai:*' }, 'model'],
    [{ mcp_toolsets: 'files' }, 'mcp_toolsets'],
    [{ mcp_toolsets: [1] }, 'mcp_toolsets'],
    [{ mcp_toolsets: ['nothing'] }, 'mcp_toolsets'],
    [{ mcp_toolsets: ['__proto__'] }, 'mcp_toolsets'],
    [{ mcp_toolsets: Array(65).fill('files') }, 'mcp_toolsets'],
    [{ max_steps: 0 }, 'max_steps'],
    [{ max_steps: 101 }, 'max_steps'],
    [{ max_steps: 1.5 }, 'max_steps'],
    [{ max_steps: '3' }, 'max_steps'],
    [{ tool_approval: 'yes' }, 'tool_approval'],
    [{ systemPrompt: 'x' }, 'systemPrompt'],
    [{ created_at: 'x' }, 'created_at'],
    [JSON.parse('{"__proto__": {"name": "x"}}'), '__proto__'],
  ])('%j', async (body, field) => {
    verifies('RT-AGENT-17', 'RT-AGENT-19', 'RT-ERR-5', 'RT-ERR-6')
    const answer = await send(body)
    expect(answer).toMatchObject({ status: 422, body: { status_code: 422 } })
    expect(answer.body.detail).toContain(field)
    expect(JSON.stringify(answer.body.errors)).toContain(field)
  })
})

test.each([
  '',
  '.',
  '..',
  '...',
  'a b',
  'a/b',
  'ä',
  'a\0',
  'x'.repeat(65),
  '\ud83d',
  '<b>',
  'a:b',
  1,
  {},
  [],
])('the id %j is refused', async (id) => {
  verifies('RT-AGENT-13')
  expect(await create({ id, name: 'Odd' })).toMatchObject({ status: 422 })
})

test('an id of 64 characters is taken', async () => {
  verifies('RT-AGENT-13')
  expect((await create({ id: 'x'.repeat(64), name: 'Long' })).status).toBe(201)
})

test.each([
  ['Guide', 'guide'],
  ['  My  Agent ', 'my-agent'],
  ['ÀÉÎ õü', 'aei-ou'],
  ['v1.2_beta', 'v1.2_beta'],
  ['..', /^agent-/],
  ['🤖', /^agent-/],
  ['x'.repeat(100), 'x'.repeat(64)],
  [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
])('the name %j makes the id %s', (name, id) => {
  if (typeof id === 'string') expect(idFromName(name)).toBe(id)
  else expect(idFromName(name)).toMatch(id)
  expect(idFromName(name)).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
})
