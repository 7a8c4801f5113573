import { expect, test } from 'vitest'
import { parseConfig } from './config/parse-config.ts'
import { needsRestart } from './needs-restart.ts'

function configOf(text: string) {
  const { config, faults } = parseConfig(text, { environment: {}, baseDir: '/' })
  if (!config) throw new Error(JSON.stringify(faults))
  return config
}

test.each([
  ['[composer]\nport = 9000\n', ['composer.port']],
  ['[composer]\nlog_level = "debug"\n', ['composer.log_level']],
  ['[transport]\nsse_enabled = true\n', ['transport']],
  ['[api]\npath_prefix = "/x"\n', ['api']],
  ['[monitoring]\naudit_file = "a.log"\n', ['monitoring.audit_file']],
  ['[composer]\nname = "other"\n', []],
  ['[[servers.proxied.stdio]]\nname = "a"\ncommand = ["b"]\n', []],
])('%j needs a new start for %j', (text, places) => {
  expect(needsRestart(configOf('[servers]\n'), configOf(text))).toEqual(places)
})
