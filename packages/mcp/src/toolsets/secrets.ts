import type { ToolsetsConfig } from './config.ts'

/** What a configuration holds that must not be shown: for the redactor. */
export function secretsIn(config: ToolsetsConfig): readonly string[] {
  return [...config.values()].flatMap((target) => {
    const { secrets = [] } = target
    if (target.type === 'custom') return secrets
    if (target.type === 'stdio') return [...secrets, ...Object.values(target.env ?? {})]
    const headers = Object.values(target.headers ?? {})
    return [...secrets, ...headers.flatMap((value) => [value, value.replace(/^Bearer /i, '')])]
  })
}
