import { ConfigError } from '@quire/kit/config/config-error'
import { secretsOf } from '@quire/kit/config/read-config'
import { isLoopbackHost } from '@quire/kit/guard/host'
import { createLogger } from '@quire/kit/log'
import { createRedactor } from '@quire/kit/redact'
import { serve } from '@quire/kit/serve/serve'
import { shutDown } from '@quire/kit/serve/shut-down'
import { configFrom, type UpConfig, upSettings } from '../config.ts'
import { runUntilSignal } from '../lifecycle.ts'
import { type Access, createUp } from '../up.ts'

/** Reads the configuration, starts everything on one port, prints where it is, and stays until it is told to stop. */
export async function runUp(flags: Record<string, unknown>): Promise<void> {
  const config = configFrom(upSettings, flags)
  assertSafe(config)
  const redactor = createRedactor({ secrets: secretsOf(upSettings, config) })
  const logger = createLogger({ level: config.logLevel, pretty: process.stderr.isTTY === true, redactor })
  const up = createUp(config, { logger })
  if (up.access.kind === 'token') redactor.add(up.access.token)
  const { tlsCert, tlsKey, publicUrl } = config
  const listening = await serve({
    fetch: up.fetch,
    host: config.host,
    port: config.port,
    ...(tlsCert !== undefined && tlsKey !== undefined && { tls: { certFile: tlsCert, keyFile: tlsKey } }),
    ...(publicUrl !== undefined && { publicUrl }),
  })
  const stopped = runUntilSignal({ close: () => shutDown(listening, [up]) }, logger, process, process.exit)
  if (up.access.kind === 'open')
    logger.warn('authentication is off: every program on this machine may use Quire')
  process.stdout.write(announcement(listening.url, up.access, process.stdout.isTTY === true))
  await stopped
}

function assertSafe({ host, insecureNoauth, tlsCert, tlsKey }: UpConfig): void {
  if (insecureNoauth && !isLoopbackHost(host)) {
    const message = `--insecure-noauth works on loopback only, and ${host} is reached from other machines: leave one of the two out`
    throw new ConfigError([{ setting: '--insecure-noauth', origin: `--host ${host}`, message }])
  }
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new ConfigError([
      {
        setting: '--tls-cert and --tls-key',
        origin: 'one of them is missing',
        message: 'give both or neither',
      },
    ])
  }
}

/** On a terminal the address carries the token behind "#", which no browser sends on; elsewhere output is kept, so it holds only the file's path. */
function announcement(url: string, access: Access, isTerminal: boolean): string {
  if (access.kind === 'open') return `Quire is at ${url}/ (no token needed)\n`
  if (isTerminal) return `Quire is at ${url}/#token=${access.token}\n`
  return `Quire is at ${url}/ and takes the token ${access.file ? `in ${access.file}` : 'of QUIRE_TOKEN'}\n`
}
