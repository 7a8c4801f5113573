import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { type RunningProcess, startProcess } from '@quire/testbed/process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect, connect, sending } from './a2a/a2a.fixture.ts'
import { NewTeam, Task, Team, TeamEvent } from './contract.ts'
import { createTeams, type TeamsService } from './create-teams.ts'
import { PARENTS, type Parent, PREFIX } from './mounting.fixture.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')
const ENDED = ['completed', 'failed', 'cancelled']

const WRITERS = NewTeam.parse({
  name: 'Writers',
  execution_mode: 'parallel',
  members: [{ name: 'Ada', model: 'builtin:guide', system_prompt: 'You write plainly.' }],
})

const TASK = { title: 'list tools', description: 'Grüß Gott 🙂' }

/** Makes a team, gives it a task, and follows it over its events to the end. */
async function runTask(root: string): Promise<{ task: Task; types: readonly string[] }> {
  const post = async (path: string, body?: object) => {
    const answer = await fetch(`${root}${path}`, {
      method: 'POST',
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    expect(answer.ok, `${path}: ${answer.status}`).toBe(true)
    return answer.json()
  }
  const { team_id } = Team.parse(await post('/teams', WRITERS))
  await post(`/teams/${team_id}/start`)
  const leave = new AbortController()
  const headers = { accept: 'text/event-stream' }
  const events = await fetch(`${root}/teams/${team_id}/events`, { headers, signal: leave.signal })
  expect(events.headers.get('content-type')).toContain('text/event-stream')
  const created = Task.parse(await post(`/teams/${team_id}/tasks`, TASK))
  const types: string[] = []
  for await (const { event_type } of readEvents(events)) {
    types.push(event_type)
    if (ENDED.includes(event_type.replace('task_', ''))) break
  }
  leave.abort()
  const answer = await fetch(`${root}/teams/${team_id}/tasks/${created.task_id}`)
  return { task: Task.parse(await answer.json()), types }
}

async function* readEvents(response: Response): AsyncGenerator<TeamEvent> {
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8')
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (data !== undefined) yield TeamEvent.parse(JSON.parse(data))
    }
  }
}

async function assertServes(root: string): Promise<void> {
  const { task, types } = await runTask(root)
  expect(task).toMatchObject({ ...TASK, status: 'completed', assigned_to: 'Ada' })
  expect(task.result).toContain('No tools are attached')
  expect(types).toEqual([
    ...['team_created', 'team_started', 'task_created', 'task_assigned', 'task_started', 'task_completed'],
  ])
  const { pathname: prefix } = new URL(root)
  const description = await fetch(`${root}/openapi.json`)
  expect(await description.json()).toMatchObject({ servers: [{ url: prefix }] })
  const docs = await fetch(`${root}/docs`)
  const page = await docs.text()
  const [, script = ''] = /<script src="([^"]+)"/.exec(page) ?? []
  const loaded = await fetch(new URL(script.replaceAll('&#38;', '&'), docs.url))
  expect([docs.status, loaded.status]).toEqual([200, 200])
  const nothing = await fetch(`${root}/nothing`)
  expect([nothing.status, await nothing.json()]).toEqual([404, { detail: expect.any(String) }])
}

describe.each(Object.entries(PARENTS))('in %s', (_name, start) => {
  let teams: TeamsService
  let parent: Parent
  beforeAll(async () => {
    teams = await createTeams({ guards: {} })
    parent = await start(teams.app.fetch)
  })
  afterAll(async () => {
    await parent.close()
    await teams.close()
  })

  test('a team does a task, its events are streamed, and its docs know where they are', async () => {
    verifies('TM-SVC-1', 'TM-SVC-5', 'TM-SVC-6')
    await assertServes(parent.url + PREFIX)
  })

  test('it is an agent of A2A there too', async () => {
    const root = parent.url + PREFIX
    const team = await newTeam(root)
    await fetch(`${root}/teams/${team}/start`, { method: 'POST' })
    const client = await connect(root, team)
    expect(await client.getAgentCard()).toMatchObject({
      supportedInterfaces: [{ url: `${root}/teams/${team}/a2a` }],
    })
    const seen = await collect(client.sendMessageStream(sending('list tools')))
    expect(seen).toEqual(['task submitted', 'working', expect.stringContaining('No tools'), 'completed'])
  })
})

describe.each(['express', 'fastify', 'hono', 'http'])('the example teams-in-%s', (name) => {
  let example: RunningProcess
  beforeAll(() => {
    example = startProcess(process.execPath, [join(EXAMPLES, `teams-in-${name}.ts`), '0'])
  })
  afterAll(() => example.stop('SIGKILL'))

  test('serves, and ends with nothing left open', async () => {
    const [, root = ''] = await example.waitFor(/(http:\S+)\/docs\n/)
    await assertServes(root)
    expect(await (await fetch(new URL('/', root))).text()).toBe('The application itself')
    const stream = await fetch(`${root}/teams/${await newTeam(root)}/events`, {
      headers: { accept: 'text/event-stream' },
    })
    expect(await example.stop('SIGTERM')).toBe(0)
    expect(await stream.text()).toContain('team_created')
    expect(example.output.stderr).toBe('')
  })
})

async function newTeam(root: string): Promise<string> {
  const answer = await fetch(`${root}/teams`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(WRITERS),
  })
  return Team.parse(await answer.json()).team_id
}
