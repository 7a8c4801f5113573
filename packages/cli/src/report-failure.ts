import { ConfigError } from '@quire/kit/config/config-error'
import { CommandFailure } from './command-failure.ts'

/** A fault of the configuration or of a request is a sentence for a person; anything else is ours, and comes with its stack. Returns the exit code. */
export function reportFailure(error: unknown, output: NodeJS.WritableStream): number {
  if (error instanceof ConfigError || error instanceof CommandFailure)
    for (const line of error.message.split('\n')) output.write(`quire: ${line}\n`)
  else output.write(`quire: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return 1
}
