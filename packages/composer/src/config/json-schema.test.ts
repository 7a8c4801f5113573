import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { verifies } from '@quire/spec/verifies'
import { expect, test } from 'vitest'
import { configJsonSchema } from './json-schema.ts'
import { readConfigFile } from './read-config-file.ts'

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

test('the schema for editors is that of the program: if not, write configJsonSchema() to quire.schema.json', async () => {
  verifies('CO-FILE-5')
  const file: unknown = JSON.parse(await readFile(pathOf('../../quire.schema.json'), 'utf8'))
  expect(file).toEqual(JSON.parse(JSON.stringify(configJsonSchema())))
})

test('the example is a configuration without faults and warnings', async () => {
  const loaded = await readConfigFile(pathOf('../../../../examples/composer/quire.toml'), {
    environment: { COMPOSER_KEY: 'k'.repeat(32), GITHUB_TOKEN: 't' },
  })
  expect(loaded.warnings).toEqual([])
  expect(loaded.config.servers.length).toBeGreaterThan(0)
})
