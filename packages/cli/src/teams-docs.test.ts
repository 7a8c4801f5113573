import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTeamsFolder, type RunningTeams, startTeams, type TeamsFolder } from './teams.fixture.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const DEADLINE_MS = 40_000

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

test('the team of the README works as it stands there, without a key', async () => {
  const script = await blockOf('README.md', 'A team of agents', 'TEAM=')
  const { code, stdout, stderr } = await run(script)
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^The team "Writers" is a draft/),
  })
  expect(stdout).toContain('\n3 tasks: 3 completed.\n')
  const page = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  expect(page).toMatchObject({ title: 'Help', status: 'completed' })
  expect(page.depends_on).toHaveLength(2)
  const events = await teams.read(`/teams/${page.team_id}/events`)
  const types = events.map(({ event_type }: { event_type: string }) => event_type)
  expect(types.filter((type: string) => type === 'task_review_requested')).toHaveLength(3)
})

test('every route of the guide answers as it stands there', async () => {
  const script = await blockOf('docs/teams.md', 'Every route', 'API=')
  // What is refused is to be noticed.
  const { code, stdout, stderr } = await run(script.replaceAll('curl -s', 'curl --fail-with-body -s'))
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
  const routes: string[] = Object.entries<object>((await teams.read('/openapi.json')).paths).flatMap(
    ([path, operations]) => Object.keys(operations).map((method) => `${method} ${path}`),
  )
  for (const route of routes) expect(toRoutes(script), route).toContain(route)
})

/** What a reader would copy. */
async function blockOf(path: string, heading: string, holding: string): Promise<string> {
  const text = await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)
  return blocks.find((block) => block.includes(holding)) ?? ''
}

/** The routes that a script asks, as OpenAPI names them. */
function toRoutes(script: string): readonly string[] {
  return [...script.matchAll(/^(?!#).*curl .*?(-X (\w+) )?"?\$API([^\s"?]*)(.*)$/gm)].map(
    ([, , method, path = '', rest = '']) =>
      `${(method ?? (rest.includes(' -d ') ? 'POST' : 'GET')).toLowerCase()} ${path
        .replace('$TEAM', '{team_id}')
        .replace(/\$(?:FIRST|SECOND)/, '{task_id}')}`,
  )
}

function run(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const there = script.replaceAll('http://localhost:8766', teams.url)
  // The commands are to find the service too, and the Node of this test.
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, TEAMS_URL: teams.url }
  return new Promise((resolve, reject) => {
    const shell = spawn('sh', ['-ec', there], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: DEADLINE_MS,
    })
    const output = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const)
      shell[stream].setEncoding('utf8').on('data', (chunk: string) => {
        output[stream] += chunk
      })
    shell.on('error', reject).on('close', (code) => resolve({ code, ...output }))
  })
}
