import { existsSync } from 'node:fs'
import { verifies } from '@quire/spec/verifies'
import { teamsSettings } from '@quire/teams/settings'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { POLL } from './composer.fixture.ts'
import { createTeamsFolder, runTeams, startTeams, type TeamsFolder } from './teams.fixture.ts'

const KEY = 'configured-0123456789'
const AGENTS = 'http://127.0.0.1:8765/api/v1/agents/'

let folder: TeamsFolder
beforeAll(async () => {
  folder = await createTeamsFolder()
})
afterAll(() => folder.remove())

describe.each<[string, readonly string[], Record<string, string>, RegExp]>([
  [
    'an unknown operation',
    ['--rate-limit', 'task=1/m'],
    {},
    /--rate-limit \("task"\): is no operation .*createTask/,
  ],
  [
    'an address for everybody',
    ['--host', '0.0.0.0'],
    {},
    /--host \(0\.0\.0\.0\): is reached from other machines/,
  ],
  ['two doors', ['--insecure-teams-noauth', '--api-key', KEY], {}, /leave one of the two out/],
  ['a key for nobody', [], { TEAMS_AGENT_KEYS: `${AGENTS}=canary` }, /TEAMS_AGENT_KEYS .*--allow-agent/],
])('with %s', (_what, args, env, said) => {
  test('it does not start, and says why in a line', async () => {
    const { code, stdout, stderr } = await runTeams(
      ['serve', '--data', folder.path, '--port', '0', ...args],
      env,
    )
    expect(stderr).toMatch(said)
    expect(stderr).not.toMatch(/canary|\n {4}at /)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })
})

test('it runs by itself, and a port that is taken is said before anything is begun', async () => {
  verifies('TM-SVC-2', 'TM-SVC-3', 'TM-SVC-4')
  expect(teamsSettings.port.schema.parse(undefined)).toBe(8766)
  const own = await createTeamsFolder()
  const first = await startTeams(folder)
  onTestFinished(async () => {
    await first.stop('SIGKILL')
    await own.remove()
  })
  expect((await first.ask('GET', '/teams')).status).toBe(200)
  expect((await first.ask('GET', '/ready')).status).toBe(200)
  const { code, stderr } = await runTeams(['serve', '--data', own.path, '--port', String(first.port)])
  expect(code).toBe(1)
  expect(stderr).toContain('EADDRINUSE')
  expect(existsSync(own.file('sample.starts'))).toBe(false)
  expect(await first.stop()).toBe(0)
})

test('keys are asked for, issued and revoked while it runs, and never shown', async () => {
  verifies('TM-AUTH-1', 'TM-AUTH-2')
  const own = await createTeamsFolder()
  const teams = await startTeams(own)
  onTestFinished(async () => {
    await teams.stop('SIGKILL')
    await own.remove()
  })
  const data = ['--data', own.path]
  const create = ['create', '--name', 'Pair', '--member', 'Ada']
  const TEAMS_URL = teams.url
  expect((await runTeams(create, { TEAMS_URL })).code).toBe(0)
  const issued = await runTeams(['keys', 'issue', '--name', 'reader', '--scope', 'teams:read', ...data])
  const reader = issued.stdout.trim()
  expect(reader).toMatch(/^quire_\S+$/)
  await expect.poll(async () => (await teams.ask('GET', '/teams')).status, POLL).toBe(401)
  const asked = await runTeams(create, { TEAMS_URL })
  expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('TEAMS_API_KEY') })
  const low = await runTeams(create, { TEAMS_URL, TEAMS_API_KEY: reader })
  expect(low).toMatchObject({ code: 1, stderr: expect.stringContaining('teams:write') })
  const shown = await runTeams(['keys', 'list', '--json', ...data])
  const [{ id }] = JSON.parse(shown.stdout)
  expect((await runTeams(['keys', 'revoke', id, ...data])).code).toBe(0)
  await expect.poll(async () => (await teams.ask('GET', '/teams', { key: reader })).status, POLL).toBe(401)
  const revoked = await runTeams(['start', 'Pair', '--key', reader, '--url', teams.url])
  expect(revoked.code).toBe(1)
  for (const text of [asked.stderr, low.stderr, revoked.stderr, teams.output.stderr, shown.stdout])
    expect(text).not.toContain(reader.slice(6))
})
