import { dirname } from 'node:path'
import { isRecord } from '@quire/mcp/json'
import { ComposerError } from './composer-error.ts'
import { applyDocument, unmaskText } from './config/apply-document.ts'
import type { ComposerConfig } from './config/config.ts'
import { ConfigFaulty, configError } from './config/config-fault.ts'
import { foreignCommands, toSentence } from './config/foreign-commands.ts'
import { foreignVariables } from './config/foreign-variables.ts'
import { foreseenRefusals } from './config/foreseen-refusals.ts'
import { documentOf, maskConfigText, maskedDocument } from './config/mask.ts'
import { locateFaults, parseConfig } from './config/parse-config.ts'
import { type LoadedConfig, readConfigFile } from './config/read-config-file.ts'
import { revisionOf } from './config/revision.ts'
import { rewrittenIn } from './config/rewritten.ts'
import type { Variables } from './config/substitute.ts'
import { writeConfigFile } from './config/write-config-file.ts'
import { restartPlaces } from './needs-restart.ts'
import type { ConfigChange, ConfigService, ConfigVerdict, NextConfig } from './routes/config-service.ts'
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
  let { text, config: present } = options.loaded
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
    present = config
    return {
      document: maskedDocument(documentOf(text)),
      changes,
      restartRequired: options.needsRestart(config),
    }
  }

  function foresee(change: ConfigChange, nextText: string, next: ComposerConfig): NextConfig {
    const given = change.text === undefined ? change.document : documentOf(change.text)
    const shown = maskedDocument(documentOf(text))
    const rewritten = rewrittenIn(isRecord(given) ? given : {}, shown)
    const document = documentOf(nextText)
    const refusals = foreseenRefusals({ next, document, present, shown, rewritten, allowed: allowedCommands })
    const restartRequired = [...options.needsRestart(next), ...restartPlaces(rewritten.places)]
    return {
      servers: next.servers,
      rewritten: rewritten.servers,
      restartRequired: [...new Set(restartRequired)],
      refusals: locateFaults(nextText, refusals),
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
    refuse(foreignCommands(config, { present: onDisk.config, allowed: allowedCommands }).map(toSentence))
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
        const nextText = textOf(change)
        const { config, faults, warnings } = parseConfig(nextText, {
          environment,
          baseDir,
          presentText: text,
        })
        if (!config) return { valid: false, errors: faults, warnings }
        return { valid: true, errors: [], warnings, next: foresee(change, nextText, config) }
      } catch (error) {
        if (!(error instanceof ComposerError) || error.code !== 'CONFIG_INVALID') throw error
        return { valid: false, errors: faultsOf(error), warnings: [] }
      }
    },
  })
}

/** Those of a change that could not even be written as a text have no place in one. */
function faultsOf(error: ComposerError): ConfigVerdict['errors'] {
  if (error instanceof ConfigFaulty) return error.faults
  return error.problem.errors ?? [{ path: '', message: error.message }]
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
