import { ComposerError } from '@quire/composer/composer-error'
import { openBridge } from '@quire/composer/open-bridge'
import { bridgeSettings } from '@quire/composer/settings'
import { secretsOf } from '@quire/kit/config/read-config'
import { createLogger } from '@quire/kit/log'
import { createRedactor } from '@quire/kit/redact'
import { CommandFailure } from '../../command-failure.ts'
import { configFrom, environment } from '../../config.ts'
import { runUntilSignal } from '../../lifecycle.ts'
import { readVersion } from '../../version.ts'

/** Passes everything on between the client that started us and a server somewhere else. */
export async function runComposerBridge(flags: Record<string, unknown>): Promise<void> {
  const settings = configFrom(bridgeSettings, flags)
  const { url, token, sse, logLevel } = settings
  const { stdin, stdout, stderr } = process
  const redactor = createRedactor({ secrets: secretsOf(bridgeSettings, settings) })
  const logger = createLogger({ level: logLevel, pretty: stderr.isTTY === true, redactor })
  const ending = new AbortController()
  const bridging = openBridge(
    {
      transport: sse ? 'sse' : 'http',
      url,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    },
    {
      stdin,
      stdout,
      stderr,
      logger,
      version: readVersion(),
      environment: environment(),
      signal: ending.signal,
    },
  )
  const service = {
    async close() {
      ending.abort()
      await bridging
    },
  }
  try {
    await Promise.all([bridging, runUntilSignal(service, logger, process, process.exit, bridging)])
  } catch (error) {
    if (error instanceof ComposerError) throw new CommandFailure(unreachable(url, error), { cause: error })
    throw error
  }
}

/** Without the query, where some servers want their key. */
function unreachable(url: string, { message }: ComposerError): string {
  const { origin, pathname } = new URL(url)
  return `The MCP server at ${origin}${pathname} cannot be used. ${message} Look whether the address is right and the server runs there.`
}
