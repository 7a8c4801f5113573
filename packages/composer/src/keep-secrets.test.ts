import { createRedactor } from '@quire/kit/redact'
import { expect, test } from 'vitest'
import { configOf } from './config/config.fixture.ts'
import { keepSecrets } from './keep-secrets.ts'

function redacted(lines: string, said: string): string {
  const redactor = createRedactor()
  keepSecrets(configOf(lines), redactor)
  return redactor.text(said)
}

const withVariable = (name: string, value: string) =>
  `[[servers.proxied.stdio]]\nname = "s"\ncommand = ["x"]\nenv = { ${name} = ${JSON.stringify(value)} }\n`

test.each<[string, string]>([
  ['API_TOKEN', 'hushed'],
  ['LICENSE', 'PLAIN-ENV-VALUE-77'],
  ['DB_PASS', 'hushed-word'],
  ['DB_PWD', 'hushed-word'],
  ['SENTRY_DSN', 'https://hush@sentry.example.org/1'],
  ['OPENAI_KEY', 'sk-hush-1'],
  ['ANYTHING', 'f3a9c07be1d24586a0b7'],
  ['ANYTHING', '3d6f0a52-8b1c-4e7d-9f20-6c5b4a39e817'],
  ['HOOK', 'https://hooks.example.org/T0/B0/aB3dE6gH9jK2mN5pQ8sT1vW4'],
])('the variable %s=%s is kept from the logs', (name, value) => {
  expect(redacted(withVariable(name, value), `it is <${value}>`)).not.toContain(value)
})

test.each<[string, string]>([
  ['MODE', 'production'],
  ['REGION', 'us-east-1'],
  ['MODEL', 'gpt-4o-mini'],
  ['SORT_KEY', 'customer'],
  ['SEED', '12345678'],
  ['SSH_KEY', '/home/ann/.ssh/id_ed25519'],
  ['ROOT', '/srv/data/2025/projects/first'],
  ['BASE', 'https://api.example.org/v2/things/all'],
  ['GREETING', 'good morning to everybody'],
])('the variable %s=%s is no secret', (name, value) => {
  expect(redacted(withVariable(name, value), `it is <${value}>`)).toBe(`it is <${value}>`)
})

test('the secrets of arguments and addresses are known without what stands around them', () => {
  const text = `[[servers.proxied.stdio]]
name = "s"
command = ["x", "--token", "hush-1x", "--db=postgres://u:hush-2x@h/x", "-H", "X-Api-Key: hush-3x"]
env = { STORE = "redis://u:hush-4x@h/0" }
[[servers.proxied.sse]]
name = "t"
url = "https://far.example.org/?api_key=hush-5x&y=1"
headers = { Authorization = "Bearer hush-6x" }
[authentication]
enabled = true
[authentication.api_key]
keys = ["hush-7x-0123456789abc"]
`
  const said = 'hush-1x hush-2x hush-3x hush-4x hush-5x hush-6x hush-7x-0123456789abc x y'
  expect(redacted(text, said)).toBe(`${'[redacted] '.repeat(7)}x y`)
})
