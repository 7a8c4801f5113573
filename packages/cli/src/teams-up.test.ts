import { readFileSync } from 'node:fs'
import { verifies } from '@quire/spec/verifies'
import { type RunningProcess, startProcess } from '@quire/testbed/process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LAUNCHER } from './notebook.fixture.ts'
import { createTeamsFolder, runTeams, type TeamsFolder } from './teams.fixture.ts'

const TOKEN = 'a-token-of-my-own-making-0123456789'
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

let folder: TeamsFolder
let up: RunningProcess
let url: string
beforeAll(async () => {
  folder = await createTeamsFolder()
  const env = { QUIRE_TOKEN: TOKEN, QUIRE_DATA_DIR: folder.path, NOTEBOOK_URL: 'http://127.0.0.1:9' }
  up = startProcess(process.execPath, [LAUNCHER, 'up', '--port', '0'], { env })
  const [, found = ''] = await up.waitFor(/Quire is at (\S+)\//, 'stdout', 30_000)
  url = found
})
afterAll(async () => {
  await up?.stop('SIGKILL')
  await folder?.remove()
})

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, which the tests look into
async function read(path: string): Promise<any> {
  return (await fetch(url + path, { headers: HEADERS })).json()
}

async function create(body: object): Promise<Response> {
  return fetch(`${url}/teams/teams`, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) })
}

test('quire up has the teams inside, behind its own token', async () => {
  verifies('TM-SVC-6')
  const status = async (path: string, headers = {}) => (await fetch(url + path, { headers })).status
  expect(await status('/teams/teams')).toBe(401)
  expect(await status('/teams/teams', HEADERS)).toBe(200)
  expect(await status('/teams/docs')).toBe(200)
  const description = await read('/teams/openapi.json')
  expect(description.servers).toEqual([{ url: '/teams' }])
  expect(description.paths).toHaveProperty(['/teams/{team_id}/tasks'])
  expect((await read('/health')).services.teams).toBe('running')
})

test('a program of mcp.json runs once, for agents and for members', async () => {
  const call = 'call sample__add with {"a": 20, "b": 22}'
  const members = [{ name: 'Ada', mcp_toolsets: ['sample'] }]
  expect((await create({ name: 'Sums', execution_mode: 'parallel', members })).status).toBe(201)
  const env = { TEAMS_URL: `${url}/teams`, TEAMS_API_KEY: TOKEN }
  expect((await runTeams(['start', 'Sums'], env)).code).toBe(0)
  expect((await runTeams(['assign', 'Sums', call, '--wait'], env)).stdout).toContain('42')
  const answer = await fetch(`${url}/runtime/api/v1/agents/guide/prompt/sync`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ message: call, conversation_id: 'sums' }),
  })
  expect(await answer.text()).toContain('42')
  await fetch(`${url}/runtime/api/v1/conversations/sums`, { method: 'DELETE', headers: HEADERS })
  expect(readFileSync(folder.file('sample.starts'), 'utf8').trim().split('\n')).toHaveLength(1)
})

test('members use our own tools, and may be agents of our own runtime', async () => {
  verifies('TM-MEMBER-2')
  const body = {
    name: 'Mixed',
    execution_mode: 'parallel',
    members: [
      { name: 'near', mcp_toolsets: ['notebook'] },
      { name: 'far', agent_url: 'http://localhost:0/runtime/api/v1/agents/guide' },
    ],
  }
  const created = await create(body)
  expect(await created.json()).toMatchObject({ status: 'draft' })
  const env = { TEAMS_URL: `${url}/teams`, TEAMS_API_KEY: TOKEN }
  expect((await runTeams(['start', 'Mixed'], env)).code).toBe(0)
  const [near, far] = await Promise.all([
    runTeams(['assign', 'Mixed', 'list notebooks', '--to', 'near', '--wait'], env),
    runTeams(['assign', 'Mixed', 'call notebook__list_notebooks', '--to', 'far', '--wait'], env),
  ])
  for (const { code, stdout, stderr } of [near, far]) {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/notebook__list_notebooks.*No managed notebooks/s)
  }
  expect((await read('/runtime/api/v1/conversations')).conversations).toMatchObject([
    { agent_id: 'guide', status: 'idle' },
  ])
  const elsewhere = { ...body, members: [{ name: 'x', agent_url: 'http://127.0.0.1:9/api/v1/agents/guide' }] }
  const refused = await create(elsewhere)
  expect(refused.status).toBe(422)
  expect(await up.stop()).toBe(0)
  expect(up.output.stderr).not.toContain(TOKEN)
})
