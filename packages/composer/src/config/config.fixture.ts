import type { ConfiguredDefinition } from '../server-definition.ts'
import type { ComposerConfig } from './config.ts'
import { type ParsedConfig, parseConfig } from './parse-config.ts'
import type { Variables } from './substitute.ts'

export const BASE_DIR = '/etc/quire'

export function parse(text: string, environment: Variables = {}): ParsedConfig {
  return parseConfig(text, { environment, baseDir: BASE_DIR })
}

/** Throws the faults of a text that should have none. */
export function configOf(text: string, environment: Variables = {}): ComposerConfig {
  const { config, faults } = parse(text, environment)
  if (config) return config
  throw new Error(faults.map(({ path, message }) => `${path} ${message}`).join('\n'))
}

/** As `path message`. */
export function faultsOf(text: string, environment: Variables = {}): readonly string[] {
  return parse(text, environment).faults.map(({ path, message }) => `${path} ${message}`)
}

export function warningsIn(text: string): readonly string[] {
  return parse(text).warnings.map(({ path, message }) => `${path} ${message}`)
}

/** A server that has what it must have, and these lines. */
export const stdio = (lines = '') =>
  `[[servers.proxied.stdio]]\nname = "s"\ncommand = ["run", "it"]\n${lines}\n`
export const remote = (lines = '', kind = 'streamable-http') =>
  `[[servers.proxied.${kind}]]\nname = "s"\nurl = "https://mcp.example.org/mcp"\n${lines}\n`
export const embedded = (lines = '') =>
  `[[servers.embedded.servers]]\nname = "s"\npackage = "some-server"\n${lines}\n`

/** The only server of a text. */
export function serverOf<Transport extends ConfiguredDefinition['transport']>(
  text: string,
  ...transports: readonly Transport[]
): Extract<ConfiguredDefinition, { transport: Transport }> {
  const [server, ...others] = configOf(text).servers
  if (!server || others.length > 0 || !isOf(server, transports))
    throw new Error('not the server that was asked for')
  return server
}

function isOf<Transport extends ConfiguredDefinition['transport']>(
  server: ConfiguredDefinition,
  transports: readonly Transport[],
): server is Extract<ConfiguredDefinition, { transport: Transport }> {
  return transports.some((transport) => transport === server.transport)
}
