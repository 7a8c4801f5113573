import { ConfigError } from '@quire/kit/config/config-error'
import { isLoopbackHost } from '@quire/kit/guard/host'
import type { Logger } from '@quire/kit/log'
import { shutDown } from '@quire/kit/serve/shut-down'
import { warnOfOpenDoor } from './exposure.ts'
import { runUntilSignal } from './lifecycle.ts'
import { type ListenConfig, listen, type Service } from './listen.ts'
import { releaseStartMemory } from './release-memory.ts'

/** A service that issues keys, and is open as long as there is none. */
export interface KeyedService extends Service {
  isOpen(): boolean
  /** What must not happen before the port is ours. */
  start(): void
  drain(): Promise<void>
}

export interface KeyedSettings extends ListenConfig {
  readonly apiKeys: readonly string[]
  readonly insecureNoauth: boolean
}

export interface ServeOptions {
  /** As in `quire NAME serve`. */
  readonly name: string
  readonly settings: KeyedSettings
  readonly logger: Logger
  /** What everybody can do while it is open. */
  readonly use: string
  /** Told on stdout when it listens. */
  readonly greet: (url: string) => string
}

/** Serves until it is told to stop. Nobody beyond this machine is let in without a key, unless that was asked for. */
export async function serveWithKeys(service: KeyedService, options: ServeOptions): Promise<void> {
  const { name, settings, logger, use, greet } = options
  const { host, insecureNoauth } = settings
  if (service.isOpen() && !insecureNoauth && !isLoopbackHost(host)) {
    await service.close()
    throw openToOthers(name, host)
  }
  const listening = await listen(settings, service)
  // Only now: a second one on this port must neither run programs nor take work.
  service.start()
  const stopped = runUntilSignal(
    { close: () => shutDown(listening, [service]) },
    logger,
    process,
    process.exit,
  )
  if (service.isOpen()) warnOfOpenDoor(logger, host, use)
  process.stdout.write(`${greet(listening.url)}\n`)
  releaseStartMemory()
  await stopped
}

/** Throws where one setting lets everybody in and another does not. */
export function assertOneDoor(
  name: string,
  { insecureNoauth, apiKeys }: Pick<KeyedSettings, 'insecureNoauth' | 'apiKeys'>,
): void {
  if (!insecureNoauth || apiKeys.length === 0) return
  const variable = `${name.toUpperCase()}_API_KEYS`
  const message = `lets everybody in, and --api-key (${variable}) does not: leave one of the two out`
  throw new ConfigError([{ setting: `--insecure-${name}-noauth`, origin: 'with --api-key', message }])
}

function openToOthers(name: string, host: string): ConfigError {
  const variable = `${name.toUpperCase()}_API_KEYS`
  const message = `is reached from other machines, and nobody is asked for a key: issue one with "quire ${name} keys issue", give ${variable} or --api-key, or give --insecure-${name}-noauth to let everybody in`
  return new ConfigError([{ setting: '--host', origin: host, message }])
}
