import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '@quire/testbed/free-port'
import { type GatewayProcess, startGateway } from './gateway-process.ts'
import type { Endpoint } from './mcp-client.ts'

/** What stands behind a gateway. */
export type Target =
  | { readonly kind: 'stdio'; readonly command: readonly [string, ...string[]] }
  | { readonly kind: 'http'; readonly url: string }

export interface Gateway {
  readonly name: string
  readonly role: 'floor' | 'peer' | 'quire'
  readonly kinds: readonly Target['kind'][]
  start(target: Target): Promise<GatewayProcess>
}

const NODE = process.execPath
const HERE = import.meta.dirname
const PEERS = join(HERE, '..', 'peers', 'node_modules')

/** `quire composer serve`, as a clone of the repository has it. */
export const QUIRE_COMMAND: readonly string[] = [
  NODE,
  join(HERE, '..', '..', 'packages', 'cli', 'bin', 'quire.mjs'),
  'composer',
  'serve',
]

/** In the order in which they take their turns. */
export function gateways(quireCommand: readonly string[]): readonly Gateway[] {
  return [FLOOR, ...installedPeers(), createQuire(quireCommand)]
}

export function arePeersInstalled(): boolean {
  return installedPeers().length === ALL_PEERS.length
}

const FLOOR: Gateway = {
  name: 'bare relay (floor)',
  role: 'floor',
  kinds: ['stdio', 'http'],
  start: (target) =>
    startOn('streamable', (port) => {
      const program = join(HERE, `floor-${target.kind}-server.ts`)
      return [NODE, program, String(port), ...(target.kind === 'http' ? [target.url] : target.command)]
    }),
}

const ALL_PEERS: readonly (Gateway & { readonly script: string })[] = [
  {
    name: 'mcp-proxy 6.7.19',
    script: join(PEERS, 'mcp-proxy', 'dist', 'bin', 'mcp-proxy.mjs'),
    role: 'peer',
    kinds: ['stdio'],
    start(target) {
      return startOn('streamable', (port) => [
        ...[NODE, this.script, '--port', String(port), '--server', 'stream', '--'],
        ...commandOf(target),
      ])
    },
  },
  {
    name: 'supergateway 4.0.0',
    script: join(PEERS, 'supergateway', 'dist', 'index.js'),
    role: 'peer',
    kinds: ['stdio'],
    start(target) {
      return startOn('streamable', (port) => [
        ...[NODE, this.script, '--stdio', commandOf(target).join(' '), '--port', String(port)],
        ...['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none'],
      ])
    },
  },
  {
    name: 'mcp-hub 4.2.1 (SSE)',
    script: join(PEERS, 'mcp-hub', 'dist', 'cli.js'),
    role: 'peer',
    kinds: ['stdio', 'http'],
    start(target) {
      const server =
        target.kind === 'http'
          ? { type: 'streamable-http', url: target.url }
          : { command: target.command[0], args: target.command.slice(1) }
      return startOn(
        'sse',
        (port, home) => [NODE, this.script, '--port', String(port), '--config', join(home, 'hub.json')],
        { files: { 'hub.json': JSON.stringify({ mcpServers: { echo: server } }) } },
      )
    },
  },
]

function installedPeers(): typeof ALL_PEERS {
  return ALL_PEERS.filter(({ script }) => existsSync(script))
}

function createQuire(command: readonly string[]): Gateway {
  return {
    name: 'Quire',
    role: 'quire',
    kinds: ['stdio', 'http'],
    start: (target) => startQuire(command, serverTable('echo', target), 1),
  }
}

/** A composer with the servers of a configuration, given as TOML. */
export function startQuire(command: readonly string[], toml: string, tools: number): Promise<GatewayProcess> {
  return startOn(
    'streamable',
    (port, home) => [
      ...[...command, '--config', join(home, 'quire.toml'), '--host', '127.0.0.1', '--port', String(port)],
      ...['--log-level', 'error'],
    ],
    { files: { 'quire.toml': toml }, tools },
  )
}

export function serverTable(name: string, target: Target): string {
  return target.kind === 'http'
    ? `[[servers.proxied.streamable-http]]\nname = "${name}"\nurl = ${JSON.stringify(target.url)}\n`
    : `[[servers.proxied.stdio]]\nname = "${name}"\ncommand = ${JSON.stringify(target.command)}\n`
}

async function startOn(
  transport: Endpoint['transport'],
  commandFor: (port: number, home: string) => readonly string[],
  options: { readonly files?: Readonly<Record<string, string>>; readonly tools?: number } = {},
): Promise<GatewayProcess> {
  const port = await findFreePort()
  return startGateway({
    tools: 1,
    ...options,
    endpoint: { port, path: '/mcp', transport },
    command: (home) => commandFor(port, home),
  })
}

function commandOf(target: Target): readonly string[] {
  if (target.kind === 'http') throw new Error('this gateway stands in front of programs only')
  return target.command
}
