import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import { isRecord } from '@quire/mcp/json'
import { verifies } from '@quire/spec/verifies'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { remote, stdio } from './config.fixture.ts'
import { configJsonSchema } from './json-schema.ts'
import { readConfigFile } from './read-config-file.ts'
import { DESCRIPTIONS } from './schema/descriptions.ts'

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const EXAMPLE = pathOf('../../../../examples/composer/quire.toml')
const KEYS = '[authentication]\nenabled = true\n[authentication.api_key]\n'

const validate = new CfWorkerJsonSchemaValidator({ shortcircuit: false }).getValidator(
  JSON.parse(JSON.stringify(configJsonSchema())),
)
/** As an editor looks at a text: its variables are not replaced. */
const isTaken = (text: string) => validate(parse(text)).valid

test('the schema for editors is that of the program: if not, write configJsonSchema() to quire.schema.json', async () => {
  verifies('CO-FILE-5')
  const file: unknown = JSON.parse(await readFile(pathOf('../../quire.schema.json'), 'utf8'))
  expect(file).toEqual(JSON.parse(JSON.stringify(configJsonSchema())))
})

test('the example is a configuration without faults and warnings', async () => {
  const loaded = await readConfigFile(EXAMPLE, {
    environment: { COMPOSER_KEY: 'k'.repeat(32), GITHUB_TOKEN: 't' },
  })
  expect(loaded.warnings).toEqual([])
  expect(loaded.config.servers.length).toBeGreaterThan(0)
})

test('an editor has nothing to say about the example', async () => {
  expect(validate(parse(await readFile(EXAMPLE, 'utf8'))).errorMessage).toBeUndefined()
})

test.each([
  ...['INFO', 'info', 'Warning', 'warn', 'critical', `\${LEVEL}`].map(
    (level) => `composer.log_level = "${level}"`,
  ),
  'composer.port = 80',
  `composer.port = "\${PORT}"`,
  `composer.port = "\${PORT:-8080}"`,
  `composer.name = "${'x'.repeat(120)}\${NAME}"`,
  `composer.conflict_resolution = "\${STRATEGY}"`,
  `composer.prune_downstreams_on_start = "\${PRUNE}"`,
  `transport.sse_enabled = "\${SSE}"`,
  `transport.sse_path = "\${PREFIX}/sse"`,
  `ui.port = "\${UI_PORT}"`,
  `${KEYS}keys = ["\${KEY}", { key = "\${KEY}" }]`,
  stdio(`max_restarts = -1\nresource_limits = { max_memory_mb = "\${MB}" }`),
  remote(`max_reconnect_attempts = "\${N}"\nheaders = { X = "\${X}" }\nauth_type = "\${KIND}"`),
  `[[servers.proxied.sse]]\nname = "\${NAME}"\nurl = "\${URL}"`,
])('an editor takes %s', (text) => {
  expect(isTaken(text)).toBe(true)
})

test.each([
  'composer.log_level = "loud"',
  'composer.log_level = 1',
  'composer.port = "80"',
  'composer.port = 65536',
  `composer.port = "\${1}"`,
  `composer.port = "$\{PORT"`,
  `composer.name = "${'x'.repeat(129)}"`,
  'composer.conflict_resolution = "PREFIX"',
  'composer.prune_downstreams_on_start = true',
  'composer.prune_downstreams_on_start = "no"',
  'ui.port = "x"',
  'ui.framework = "vue"',
  `composer.enable_metrics = "\${X}"`,
  'compser.name = "x"',
  'transport.sse_enabled = "yes"',
  'transport.sse_path = "sse"',
  `${KEYS}keys = ["short"]`,
  stdio('restart_policy = "sometimes"'),
  stdio('max_restarts = -2'),
  stdio('env = { A = 1 }'),
  stdio().replace('["run", "it"]', `"\${COMMAND}"`),
  remote().replace('name = "s"', 'name = "a:b"'),
  '[[servers.proxied.stdio]]\nname = "s"',
])('an editor marks %s', (text) => {
  expect(isTaken(text)).toBe(false)
})

test('an editor has a line about every key, and no line is about nothing', () => {
  const said = descriptionsIn(configJsonSchema(), '')
  expect(said.filter(({ text }) => !/^[^\n]+\.$/.test(text)).map(({ path }) => path)).toEqual([])
  const paths = new Set(said.map(({ path }) => path))
  expect(Object.keys(DESCRIPTIONS).filter((path) => !paths.has(path))).toEqual([])
})

test('an editor tells the default, which is that of the program', () => {
  const said = new Map(descriptionsIn(configJsonSchema(), '').map(({ path, text }) => [path, text]))
  expect(said.get('transport.sse_path')).toBe('Where. Default: "/sse".')
  expect(said.get('servers.proxied.stdio[].startup_timeout')).toMatch(/\. Default: 30\.$/)
  expect(said.get('servers.proxied.stdio[].args')).toMatch(/^Not taken: /)
})

/** Of every key, by its path. */
function descriptionsIn(schema: unknown, path: string): readonly { path: string; text: string }[] {
  if (!isRecord(schema)) return []
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isRecord) : [schema]
  return branches.flatMap(({ properties, items }) => [
    ...Object.entries(isRecord(properties) ? properties : {}).flatMap(([key, part]) => {
      const place = path ? `${path}.${key}` : key
      return [
        { path: place, text: isRecord(part) ? String(part.description) : '' },
        ...descriptionsIn(part, place),
      ]
    }),
    ...descriptionsIn(items, `${path}[]`),
  ])
}
