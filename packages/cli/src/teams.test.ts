import { writeFile } from 'node:fs/promises'
import { PassThrough, Readable } from 'node:stream'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runTeamsAssign } from './commands/teams/assign.ts'
import { runTeamsCreate } from './commands/teams/create.ts'
import { runTeamsStart } from './commands/teams/start.ts'
import { runTeamsWatch } from './commands/teams/watch.ts'
import { POLL } from './composer.fixture.ts'
import {
  createTeamsFolder,
  type RunningTeams,
  spawnTeams,
  startTeams,
  type TeamsFolder,
} from './teams.fixture.ts'

let folder: TeamsFolder
let teams: RunningTeams
beforeAll(async () => {
  folder = await createTeamsFolder()
  teams = await startTeams(folder)
})
afterAll(async () => {
  await teams?.stop('SIGKILL')
  await folder?.remove()
})

/** The streams of a process that is this one. */
function terminal({ input = '', screen = {} }: { input?: string; screen?: object } = {}) {
  const read = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof read) =>
    new PassThrough().setEncoding('utf8').on('data', (text: string) => {
      read[name] += text
    })
  return {
    stdin: Readable.from([input]),
    stdout: Object.assign(stream('stdout'), screen),
    stderr: stream('stderr'),
    read,
  }
}

const flags = () => ({ url: teams.url })

async function create(name: string, ...member: string[]): Promise<string> {
  const one = terminal()
  await runTeamsCreate(flags(), undefined, { name, member }, one)
  return one.read.stdout.trim()
}

async function assign(team: string, title: string, options = {}): Promise<string> {
  const one = terminal()
  await runTeamsAssign(flags(), { team, title }, options, one)
  return one.read.stdout.trim()
}

describe('a team', () => {
  test('is made of flags, of a file or of standard input', async () => {
    const body = { name: 'From JSON', execution_mode: 'sequential', members: [{ name: 'Ada' }] }
    await writeFile(folder.file('team.json'), `\u{feff}${JSON.stringify(body)}`)
    const members = ['Ada', 'Bob=openai:gpt-5']
    const options = { name: 'Flags', mode: 'supervisor', member: members, supervisor: 'Ada', review: true }
    const [byFlags, byFile, byInput] = [terminal(), terminal(), terminal({ input: JSON.stringify(body) })]
    await runTeamsCreate(flags(), undefined, options, byFlags)
    await runTeamsCreate(flags(), folder.file('team.json'), {}, byFile)
    await runTeamsCreate({ ...flags(), json: true }, '-', {}, byInput)
    expect(await teams.read(`/teams/${byFlags.read.stdout.trim()}`)).toMatchObject({
      name: 'Flags',
      execution_mode: 'supervisor',
      members: [
        { name: 'Ada', model: 'builtin:guide' },
        { name: 'Bob', model: 'openai:gpt-5' },
      ],
      supervisor: { member_name: 'Ada', review_required: true },
    })
    expect(byFlags.read.stderr).toContain('is a draft')
    expect(JSON.parse(byInput.read.stdout)).toMatchObject(body)
    await expect(runTeamsStart(flags(), 'From JSON', terminal())).rejects.toThrow(
      /Several teams.*\(draft\), /,
    )
  })

  test.each<[string, string | undefined, object, RegExp]>([
    ['nothing', undefined, {}, /needs a name and members/],
    ['a file and flags', '-', { name: 'x' }, /either the file out, or the flags/],
    ['no such file', '/nowhere/team.json', {}, /\/nowhere\/team\.json cannot be read/],
    ['no JSON', '-', {}, /Standard input is no JSON/],
    ['a review by nobody', undefined, { name: 'x', member: ['a'], review: true }, /name it by --supervisor/],
    ['what the service refuses', undefined, { name: '', member: ['a', 'a'] }, /body\.name: .*\nbody\.name/],
  ])('is not made of %s', async (_what, file, options, said) => {
    await expect(runTeamsCreate(flags(), file, options, terminal({ input: '{' }))).rejects.toThrow(said)
  })

  test('is found by its id or its name', async () => {
    const id = await create('Found', 'Ada')
    const one = terminal()
    await runTeamsStart(flags(), 'Found', one)
    expect(one.read.stdout).toBe('The team "Found" is running.\n')
    await expect(runTeamsStart(flags(), id, terminal())).rejects.toThrow(/running cannot be started/)
    await expect(runTeamsStart(flags(), 'Nobody', terminal())).rejects.toThrow(/There is no team "Nobody"/)
    const away = runTeamsStart({ url: 'http://127.0.0.1:1023' }, id, terminal())
    await expect(away).rejects.toThrow(/^Nothing answers at http:\/\/127\.0\.0\.1:1023 \(.*quire teams serve/)
  })
})

describe('a task', () => {
  test('is given once with a key, and waited for', async () => {
    const team = await create('Waiting', 'Ada')
    const given = await assign(team, 'help', { idempotencyKey: 'k', priority: 'high', to: 'Ada' })
    expect(await assign(team, 'help', { idempotencyKey: 'k', priority: 'high', to: 'Ada' })).toBe(given)
    const one = terminal()
    const waiting = runTeamsAssign(
      flags(),
      { team, title: 'list tools' },
      { wait: true, dependsOn: [given] },
      one,
    )
    await expect.poll(() => one.read.stderr, POLL).toContain('is draft: the task waits')
    await teams.post(`/teams/${team}/start`)
    await waiting
    expect(one.read.stdout).toMatch(/^No tools are attached.*guide/s)
    await expect(assign(team, 'x', { to: 'Nobody' })).rejects.toThrow(/is no member of the team/)
  })

  test('that fails, or waits for one that failed, is said', async () => {
    const team = await create('Failing', 'Ada=openai:gpt-5', 'Bob')
    await teams.post(`/teams/${team}/start`)
    const failing = terminal()
    const task = { team, title: 'Think' }
    await expect(runTeamsAssign(flags(), task, { wait: true, to: 'Ada' }, failing)).rejects.toThrow(
      /is failed\. .*OPENAI_API_KEY/,
    )
    const [{ task_id: failed }] = await teams.read(`/teams/${team}/tasks`)
    const stuck = await assign(team, 'Afterwards', { dependsOn: [failed] })
    const last = { wait: true, dependsOn: [stuck] }
    await expect(runTeamsAssign(flags(), { team, title: 'Last' }, last, terminal())).rejects.toThrow(
      new RegExp(`is pending\\. It depends on ${stuck}`),
    )
    await assign(team, 'help', { to: 'Bob', wait: true })
    const watching = terminal()
    expect(await runTeamsWatch(flags(), team, { untilIdle: true }, watching)).toBe(false)
    expect(watching.read.stdout).toContain('4 tasks: 1 failed, 2 pending, 1 completed.')
    expect(watching.read.stderr).toMatch(/"Think" .*OPENAI_API_KEY.*\n.*"Afterwards" .*has to be retried/)
  })
})

describe('watching', () => {
  test('shows each event in a line, and ends when all is done', async () => {
    const team = await create('Watched', 'Ada', 'Bob')
    const first = await assign(team, 'help')
    await assign(team, 'list tools', { dependsOn: [first] })
    const [plain, json, one] = [terminal(), terminal(), terminal()]
    const watching = [
      runTeamsWatch(flags(), team, { untilIdle: true }, plain),
      runTeamsWatch({ ...flags(), json: true }, team, { untilIdle: true }, json),
      runTeamsWatch({ ...flags(), json: true }, team, { untilIdle: true, task: first }, one),
    ]
    await expect.poll(() => plain.read.stdout, POLL).toContain('2 tasks: 2 pending.')
    await teams.post(`/teams/${team}/start`)
    expect(await Promise.all(watching)).toEqual([true, true, true])
    const events = json.read.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events[0].event_type).toBe('team_created')
    expect(events.filter(({ event_type }) => event_type === 'task_completed')).toHaveLength(2)
    expect(plain.read.stdout).toMatch(
      /pending +- .*help\n.*\n\S+Z team_started\n(.*\n)*.*task_started "help" \((Ada|Bob), attempt 1\)\n/,
    )
    expect(plain.read.stdout.trim().split('\n').at(-1)).toBe('2 tasks: 2 completed.')
    expect(one.read.stdout).not.toContain('"title":"list tools"')
    expect(one.read.stdout).toContain('task_completed')
  })

  test('draws the tasks on a terminal, again and again in the same place', async () => {
    const team = await create('Drawn', 'Ada')
    await assign(team, 'help')
    const one = terminal({ screen: { isTTY: true, columns: 40, rows: 10, hasColors: () => true } })
    const watching = runTeamsWatch(flags(), 'Drawn', { untilIdle: true }, one)
    await expect.poll(() => one.read.stdout, POLL).toContain('Drawn is draft. 1 task: 1 pending.')
    await teams.post(`/teams/${team}/start`)
    expect(await watching).toBe(true)
    expect(one.read.stdout).toContain('\u{1b}[2A\u{1b}[0J')
    expect(one.read.stdout).toMatch(/Drawn is running\. 1 task: 1 completed\.\n\S*completed .*help\n$/)
  })

  test('ends with a team that pauses by itself, and says why', async () => {
    const body = {
      name: 'Poor',
      execution_mode: 'parallel',
      members: [{ name: 'Ada' }],
      budget: { max_tokens: 1 },
    }
    const { team_id: team } = await teams.post('/teams', body)
    await teams.post(`/teams/${team}/start`)
    for (const title of ['One', 'Two']) await assign(team, title)
    const one = terminal()
    expect(await runTeamsWatch(flags(), team, { untilIdle: true }, one)).toBe(false)
    expect(one.read.stderr).toMatch(/"Two" .*budget of 1 tokens is used up/)
  })
})

test('a task that is cut short goes on after a restart, and whoever watches misses nothing', async () => {
  verifies('TM-EVENT-7', 'TM-EVENT-9', 'TM-DURABLE-3', 'TM-DURABLE-5')
  const own = await createTeamsFolder()
  const first = await startTeams(own)
  let second: RunningTeams | undefined
  const members = [{ name: 'Ada', mcp_toolsets: ['sample'] }]
  const { team_id: team } = await first.post('/teams', { name: 'Long', execution_mode: 'parallel', members })
  const watching = spawnTeams(['watch', 'Long', '--json', '--until-idle'], first.env)
  onTestFinished(async () => {
    for (const one of [first, second, watching]) await one?.stop('SIGKILL')
    await own.remove()
  })
  const description = 'call sample__wait with {"steps": 10000}'
  const { task_id: task } = await first.post(`/teams/${team}/tasks`, { title: 'Wait', description })
  await first.post(`/teams/${team}/start`)
  await watching.waitFor(/task_started/)
  // The call of the tool is stored.
  const spent = async () => (await first.read(`/teams/${team}/tasks/${task}`)).usage.total_tokens
  await expect.poll(spent, POLL).toBeGreaterThan(0)
  expect(await first.stop('SIGTERM')).toBe(0)
  second = await startTeams(own, ['--port', String(first.port)])
  expect(await watching.exited).toBe(0)
  const events = watching.output.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(events.filter(({ event_type }) => event_type === 'task_completed')).toHaveLength(1)
  const ended = await second.read(`/teams/${team}/tasks/${task}`)
  expect(ended).toMatchObject({ status: 'completed', attempts: 1 })
  expect(ended.result).toContain('It is not known whether this call ran')
  expect(await second.stop()).toBe(0)
})
