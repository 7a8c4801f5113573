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

/** Those of the places that are among these, or have some of these within them. */
export function restartPlaces(changed: readonly string[]): readonly string[] {
  const isWithin = (place: string) => (path: string) => path === place || path.startsWith(`${place}.`)
  return FIXED.map(([place]) => place).filter((place) => changed.some(isWithin(place)))
}

/** Which changes take effect only when the composer is started anew. */
export function needsRestart(running: ComposerConfig, next: ComposerConfig): readonly string[] {
  return FIXED.filter(([, read]) => !isDeepStrictEqual(read(running), read(next))).map(([place]) => place)
}
