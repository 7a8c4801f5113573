import type { ToolsetsConfig } from './config.ts'

/** What a configuration holds that must not be shown: for the redactor. */
export function secretsIn(config: ToolsetsConfig): readonly string[] {
  return [...config.values()].flatMap((target) => {
    if (target.type === 'custom') return []
    if (target.type === 'stdio') return Object.values(target.env ?? {})
    return Object.values(target.headers ?? {}).flatMap((value) => [value, value.replace(/^Bearer /i, '')])
  })
}
