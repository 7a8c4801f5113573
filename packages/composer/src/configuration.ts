import { dirname } from 'node:path'
import { ComposerError } from './composer-error.ts'
import { applyDocument, unmaskText } from './config/apply-document.ts'
import type { ComposerConfig } from './config/config.ts'
import { type ConfigFault, configError } from './config/config-fault.ts'
import { foreignCommands } from './config/foreign-commands.ts'
import { foreignVariables } from './config/foreign-variables.ts'
import { documentOf, maskConfigText, maskedDocument } from './config/mask.ts'
import { parseConfig } from './config/parse-config.ts'
import { type LoadedConfig, readConfigFile } from './config/read-config-file.ts'
import { revisionOf } from './config/revision.ts'
import type { Variables } from './config/substitute.ts'
import { writeConfigFile } from './config/write-config-file.ts'
import type { ConfigChange, ConfigService } from './routes/config-service.ts'
import type { ServerChanges } from './supervisor/supervisor.ts'

export interface ConfigurationOptions {
  readonly loaded: LoadedConfig
  readonly environment: Variables
  /** Programs that the API may bring in. */
  readonly allowedCommands: readonly string[]
  /** Throws where a running composer cannot follow. */
  readonly assertFits: (config: ComposerConfig) => void
  readonly apply: (config: ComposerConfig) => Promise<ServerChanges>
  /** Which changes a running composer cannot follow. */
  readonly needsRestart: (config: ComposerConfig) => readonly string[]
  readonly onApplied: (isApplied: boolean, needsRestart: readonly string[]) => void
}

type Applied = Awaited<ReturnType<ConfigService['replace']>>

const SUBJECT = 'The configuration'

/** The configuration file and the running composer, which follow each other. Changes are made one after the other. */
export function createConfiguration(options: ConfigurationOptions): ConfigService {
  const { environment, allowedCommands } = options
  const { path } = options.loaded
  const baseDir = dirname(path)
  let text = options.loaded.text
  let last: Promise<unknown> = Promise.resolve()

  function inTurn(change: () => Promise<Applied>): Promise<Applied> {
    const turn = last.then(change).then(
      (applied) => {
        options.onApplied(true, applied.restartRequired)
        return applied
      },
      (error: unknown) => {
        options.onApplied(false, [])
        throw error
      },
    )
    // The next one begins whatever became of this one, which its own caller hears.
    last = turn.catch(() => undefined)
    return turn
  }

  /** The text that a change would leave behind. Masked secrets are filled in from the present one. */
  function textOf({ text: given, document }: ConfigChange): string {
    return given === undefined ? applyDocument(text, document) : unmaskText(text, given)
  }

  async function take(next: string, config: ComposerConfig): Promise<Applied> {
    const changes = await options.apply(config)
    text = next
    return {
      document: maskedDocument(documentOf(text)),
      changes,
      restartRequired: options.needsRestart(config),
    }
  }

  async function replace(change: ConfigChange): Promise<Applied> {
    // Somebody may have edited the file meanwhile: their work is neither taken for ours nor lost.
    const onDisk = await readConfigFile(path, { environment })
    if (onDisk.text !== text) text = onDisk.text
    if (change.revision !== undefined && change.revision !== revisionOf(text)) throw stale()
    const next = textOf(change)
    // Before anything is looked up: whether a text is in order must not tell what a variable holds.
    refuse(foreignVariables(onDisk.text, next))
    const { config, faults } = parseConfig(next, { environment, baseDir })
    if (!config) throw configError(SUBJECT, faults)
    refuse(foreignCommands(config, { present: onDisk.config, allowed: allowedCommands }))
    options.assertFits(config)
    await writeConfigFile(path, next)
    return take(next, config)
  }

  async function reload(): Promise<Applied> {
    const { text: next, config } = await readConfigFile(path, { environment })
    options.assertFits(config)
    return take(next, config)
  }

  return Object.freeze({
    current: () => ({
      document: maskedDocument(documentOf(text)),
      text: maskConfigText(text),
      path,
      revision: revisionOf(text),
    }),
    replace: (change: ConfigChange) => inTurn(() => replace(change)),
    reload: () => inTurn(reload),
    validate(change: ConfigChange) {
      try {
        const { config, faults, warnings } = parseConfig(textOf(change), {
          environment,
          baseDir,
          presentText: text,
        })
        return { valid: config !== undefined, errors: faults, warnings }
      } catch (error) {
        if (!(error instanceof ComposerError) || error.code !== 'CONFIG_INVALID') throw error
        return { valid: false, errors: faultsOf(error), warnings: [] }
      }
    },
  })
}

/** Of a change that could not even be written as a text, so that its faults have no place in one. */
function faultsOf({ problem, message }: ComposerError): readonly ConfigFault[] {
  const errors = problem.errors ?? [{ path: '', message }]
  return errors.map((error) => ({ ...error, line: 1, column: 1 }))
}

function refuse(reasons: readonly string[]): void {
  if (reasons.length > 0) throw new ComposerError('COMMAND_NOT_ALLOWED', reasons.join(' '))
}

function stale(): ComposerError {
  return new ComposerError(
    'CONFIG_CONFLICT',
    'The configuration has changed since you read it. Read it again, make your change to that, and send it with its revision.',
  )
}
