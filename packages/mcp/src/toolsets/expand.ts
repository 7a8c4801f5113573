import type { Environment } from '../connection/child-environment.ts'

const REFERENCE = /\$\{([^}]*)(\}?)/g
const NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/

/** Replaces `${NAME}` and `${NAME:-default}`; the default also stands in for an empty value. Faults are told, not thrown. */
export function expandVariables(
  text: string,
  environment: Environment,
  onFault: (fault: string) => void,
  onValue: (value: string) => void = () => undefined,
): string {
  return text.replace(REFERENCE, (reference, content: string, end: string) => {
    const [, name, fallback] = NAME.exec(content) ?? []
    if (end === '' || name === undefined) {
      onFault(`"${reference}" is no variable: write \${NAME} or \${NAME:-default}`)
      return ''
    }
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined
    if (fallback !== undefined && (value === undefined || value === '')) return fallback
    if (value === undefined) {
      onFault(`the variable ${name} is not set: set it, or write \${${name}:-default}`)
      return ''
    }
    onValue(value)
    return value
  })
}
