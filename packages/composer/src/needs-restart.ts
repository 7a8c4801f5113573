import { isDeepStrictEqual } from 'node:util'
import type { ComposerConfig } from './config/config.ts'

/** What a running composer cannot follow, by its place in the file. */
const FIXED: readonly (readonly [string, (config: ComposerConfig) => unknown])[] = [
  ['composer.port', ({ composer }) => composer.port],
  ['composer.log_level', ({ composer }) => composer.logLevel],
  ['transport', ({ transport }) => transport],
  ['api', ({ api }) => api],
  ['ui', ({ ui }) => ui],
  ['monitoring.metrics', ({ monitoring }) => monitoring.metrics],
  ['monitoring.logging', ({ monitoring }) => [monitoring.logFormat, monitoring.logFile]],
  ['monitoring.audit_file', ({ monitoring }) => monitoring.auditFile],
]

/** Which changes take effect only when the composer is started anew. */
export function needsRestart(running: ComposerConfig, next: ComposerConfig): readonly string[] {
  return FIXED.filter(([, read]) => !isDeepStrictEqual(read(running), read(next))).map(([place]) => place)
}
