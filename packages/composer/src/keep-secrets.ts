import type { Redactor } from '@quire/kit/redact'
import type { ComposerConfig } from './config/config.ts'
import { hiddenIn, isSecretName, looksSecret, maskValue } from './config/secrets.ts'
import type { ConfiguredDefinition } from './server-definition.ts'

type Secrets = Pick<Redactor, 'add'>

/** Tells the redactor every secret of a configuration, so that none comes out by way of a log, a server's own words or an error. */
export function keepSecrets({ authentication, servers }: ComposerConfig, redactor: Secrets): void {
  const variables = servers.flatMap((server) => Object.entries(programOf(server)?.env ?? {}))
  const [named = [], others = []] = [true, false].map((isNamed) =>
    variables.filter(([name]) => isSecretName(name) === isNamed),
  )
  // Those that only look like secrets come first: a redactor that is full forgets its oldest.
  for (const [name, value] of others) if (isProbable(name, value)) addText(value, redactor)
  for (const [, value] of named) addText(value, redactor)
  for (const server of servers) {
    const { command = [] } = programOf(server) ?? {}
    for (const [at, part] of command.entries())
      addHidden(part, maskValue(part, ['command', at], command[at - 1]), redactor)
    if (!('url' in server)) continue
    addHidden(server.url, maskValue(server.url, ['url']), redactor)
    for (const value of Object.values(server.headers)) addHeader(value, redactor)
  }
  for (const { key } of authentication.apiKeys) redactor.add(key)
}

const PROBABLE_NAME = /(?:^|[-_])(?:licen[cs]e|key|auth|pat|salt|seed)s?$/i
/** A word, a number, a path or an address: masked, it would make the logs hard to read and hide nothing. */
const PLAIN = /^(?:[a-z]*|[\d.]*|(?:~|\.{1,2}|[a-z]:)?[/\\].*|[a-z][a-z0-9+.-]*:\/\/.*)$/i

function isProbable(name: string, value: string): boolean {
  return looksSecret(value) || (PROBABLE_NAME.test(name) && !PLAIN.test(value))
}

function programOf(server: ConfiguredDefinition) {
  if (server.transport === 'stdio') return server
  return server.transport === 'embedded' ? undefined : server.program
}

function addText(value: string, redactor: Secrets): void {
  redactor.add(value)
  addHidden(value, maskValue(value, ['url']), redactor)
}

/** The password of an address too, for a server that quotes it without its user. */
function addHidden(text: string, masked: unknown, redactor: Secrets): void {
  const hidden = hiddenIn(text, String(masked))
  redactor.add(hidden)
  const [, password] = /^[^:/@]*:([^@]+)$/.exec(hidden) ?? []
  if (password !== undefined) redactor.add(password)
}

/** The credential itself too, for a server that quotes it without its scheme. */
function addHeader(value: string, redactor: Secrets): void {
  redactor.add(value)
  const [, credential] = /^\S+\s+(\S+)$/.exec(value) ?? []
  if (credential !== undefined) redactor.add(credential)
}
