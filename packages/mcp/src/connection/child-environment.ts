export type Environment = Readonly<Record<string, string | undefined>>

const INHERITED = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'] as const

/** A server sees what every program needs and what was given to it by name; our own secrets are neither. */
export function toChildEnvironment(
  environment: Environment,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const inherited = INHERITED.flatMap((name): [string, string][] => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(inherited), ...own }
}
