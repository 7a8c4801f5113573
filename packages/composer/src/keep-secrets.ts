import type { Redactor } from '@quire/kit/redact'
import type { ComposerConfig } from './config/config.ts'
import { isSecretName } from './config/secrets.ts'

/** Tells the redactor every secret of a configuration, so that none comes out by way of a log, a server's own words or an error. */
export function keepSecrets(
  { authentication, servers }: ComposerConfig,
  redactor: Pick<Redactor, 'add'>,
): void {
  for (const { key } of authentication.apiKeys) redactor.add(key)
  for (const server of servers) {
    const env =
      server.transport === 'stdio' ? server.env : 'program' in server ? server.program?.env : undefined
    for (const [name, value] of Object.entries(env ?? {})) if (isSecretName(name)) redactor.add(value)
    if ('headers' in server) for (const value of Object.values(server.headers)) addHeader(value, redactor)
  }
}

/** The credential itself too, for a server that quotes it without its scheme. */
function addHeader(value: string, redactor: Pick<Redactor, 'add'>): void {
  redactor.add(value)
  const [, credential] = /^\S+\s+(\S+)$/.exec(value) ?? []
  if (credential !== undefined) redactor.add(credential)
}
