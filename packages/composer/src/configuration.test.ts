import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfigFile } from './config/read-config-file.ts'
import { createConfiguration } from './configuration.ts'
import { needsRestart } from './needs-restart.ts'
import type { ConfigService } from './routes/config-service.ts'
import { foreseenChanges } from './routes/foreseen-changes.ts'
import type { ServerDefinition } from './server-definition.ts'

const TEXT = `[composer]
port = "\${PORT}"

[[servers.proxied.stdio]]
name = "zero"
command = ["run", "\${WHERE}"]

[[servers.proxied.stdio]]
name = "one"
command = ["run", "one"]
env = { API_TOKEN = "the-secret" }

[[servers.proxied.stdio]]
name = "two"
command = ["run", "two", "--token", "other-secret"]
`

let folder: string
let service: ConfigService
/** The same, where the API may bring no program. */
let strict: ConfigService
let present: readonly ServerDefinition[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-configuration-'))
  const path = join(folder, 'quire.toml')
  await writeFile(path, TEXT, { mode: 0o600 })
  const environment = { PORT: '8080', WHERE: 'here' }
  const loaded = await readConfigFile(path, { environment })
  present = loaded.config.servers
  const open = (allowedCommands: readonly string[]) =>
    createConfiguration({
      loaded,
      environment,
      allowedCommands,
      assertFits: () => undefined,
      apply: () => Promise.reject(new Error('nothing is applied by asking')),
      needsRestart: (config) => needsRestart(loaded.config, config),
      onApplied: () => undefined,
    })
  service = open(['run'])
  strict = open([])
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function ask(change: (text: string) => string) {
  const { valid, errors, next } = await service.validate({ text: change(service.current().text) })
  if (!next) return { valid, errors }
  return { ...foreseenChanges(present, next), restart: next.restartRequired }
}

const SAME = { added: [], removed: [], changed: [], unchanged: ['zero', 'one', 'two'], restart: [] }

test.each<[string, (text: string) => string, object]>([
  ['nothing', (text) => text, SAME],
  ['a comment', (text) => `# more\n${text}`, SAME],
  ['a default that is said', (text) => `${text}restart_policy = "on-failure"\n`, SAME],
  ['a setting', (text) => `${text}timeout = 5\n`, { ...SAME, changed: ['two'], unchanged: ['zero', 'one'] }],
  [
    'another server',
    (text) => `${text}[[servers.proxied.stdio]]\nname = "three"\ncommand = ["run"]\n`,
    { ...SAME, added: ['three'] },
  ],
  [
    'one server less',
    (text) => text.slice(0, text.lastIndexOf('[[')),
    { ...SAME, removed: ['two'], unchanged: ['zero', 'one'] },
  ],
  ['a path', (text) => `${text}[api]\npath_prefix = "/x"\n`, { ...SAME, restart: ['api'] }],
])('what %s would change', async (_what, change, expected) => {
  expect(await ask(change)).toEqual(expected)
})

const ZERO = { ...SAME, changed: ['zero'], unchanged: ['one', 'two'] }
const ONE = { ...SAME, changed: ['one'], unchanged: ['zero', 'two'] }
const TWO = { ...SAME, changed: ['two'], unchanged: ['zero', 'one'] }

/** A right guess and a wrong one have the same answer. */
test.each<[string, RegExp, readonly [string, string], object]>([
  [
    'a secret of the environment',
    /API_TOKEN = "[^"]*"/,
    ['API_TOKEN = "the-secret"', 'API_TOKEN = "a guess"'],
    ONE,
  ],
  ['a variable', /"\$\{WHERE\}"/, ['"here"', '"there"'], ZERO],
  ['a secret argument', /"\*+"\]/, ['"other-secret"]', '"a guess"]'], TWO],
  [
    'a variable of a place',
    /port = "[^"]*"/,
    ['port = 8080', 'port = 8081'],
    { ...SAME, restart: ['composer.port'] },
  ],
])('%s cannot be guessed', async (_what, place, guesses, expected) => {
  expect(service.current().text).toMatch(place)
  for (const guess of guesses) expect(await ask((text) => text.replace(place, guess))).toEqual(expected)
})

const FOREIGN = 'runs a command that is not in the configuration file'

test.each<[string, (text: string) => string, readonly object[]]>([
  ['nothing', (text) => text, []],
  ['a setting', (text) => `${text}timeout = 5\n`, []],
  [
    'another server',
    (text) => `${text}[[servers.proxied.stdio]]\nname = "three"\ncommand = ["run"]\n`,
    [{ line: 16, path: 'servers.proxied.stdio[3]' }],
  ],
  ['a module', (text) => `${text}[[servers.embedded.servers]]\nname = "m"\npackage = "./m.ts"\n`, [{}]],
  ['a file', (text) => `${text}[monitoring]\naudit_file = "/tmp/audit"\n`, [{ path: '' }]],
])('that %s would be refused is known before it is sent', async (_what, change, expected) => {
  const { valid, next } = await strict.validate({ text: change(strict.current().text) })
  expect(valid).toBe(true)
  expect(next?.refusals).toMatchObject(expected)
})

/** Whether a guess is right decides what is refused when it is sent, by whoever may write; one who may only read must not learn it. */
test.each<[string, (text: string, guess: string) => string, readonly [string, string]]>([
  [
    'in its place',
    (text, guess) => text.replace(/API_TOKEN = "[^"]*"/, `API_TOKEN = "${guess}"`),
    ['the-secret', 'a guess'],
  ],
  ['as an argument', (text, guess) => text.replace(/"\*+"\]/, `"${guess}"]`), ['other-secret', 'a guess']],
  ['as a variable', (text, guess) => text.replace(/"\$\{WHERE\}"/, `"${guess}"`), ['here', 'there']],
  [
    'in a server beside it',
    (text, guess) =>
      `${text}[[servers.proxied.stdio]]\nname = "copy"\ncommand = ["run", "one"]\nenv = { API_TOKEN = "${guess}" }\n`,
    ['the-secret', 'a guess'],
  ],
])('what would be refused does not tell whether a secret was guessed %s', async (_where, change, guesses) => {
  for (const guess of guesses) {
    const { next } = await strict.validate({ text: change(strict.current().text, guess) })
    expect(next?.refusals).toMatchObject([{ message: expect.stringContaining(FOREIGN) }])
  }
})

test('an own part of the program stays, unless the file has one of its name', async () => {
  const part = { name: 'notebook', transport: 'built-in' } as ServerDefinition
  const { next } = await service.validate({ text: service.current().text })
  if (!next) throw new Error('it is valid')
  expect(foreseenChanges([part, ...present], next)).toMatchObject({
    unchanged: ['notebook', 'zero', 'one', 'two'],
  })
  expect(foreseenChanges([{ ...part, name: 'one' }], next)).toMatchObject({
    added: ['zero', 'two'],
    changed: ['one'],
  })
})

test.each([
  ['[composer]\nname = \n', { path: '', line: 2, column: 8 }],
  [`${'\n'.repeat(9)}x = "unclosed\n`, { path: '', line: 10 }],
  [
    '[[servers.proxied.stdio]]\nname = "new"\ncommand = ["run"]\nenv = { API_TOKEN = "********" }\n',
    { path: 'servers.proxied.stdio[0].env.API_TOKEN', line: 4 },
  ],
])('%j is at fault where it is', async (text, fault) => {
  const { valid, errors } = await service.validate({ text })
  expect(valid).toBe(false)
  expect(errors).toMatchObject([fault])
  expect(errors[0]?.message).not.toMatch(/line \d/)
})

test('what is no text has no lines', async () => {
  const { errors } = await service.validate({ document: { composer: { name: null } } })
  expect(errors).toEqual([{ path: 'composer.name', message: expect.stringContaining('null') }])
})
