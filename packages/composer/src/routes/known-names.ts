const MOST_NAMES = 10
const LONGEST_NAME = 128

/** For the sentence that says that something is not there: what is. */
export function listNames(names: readonly string[], none: string): string {
  if (names.length === 0) return none
  const shown = names.slice(0, MOST_NAMES).map(quoteName).join(', ')
  const rest = names.length - MOST_NAMES
  return rest > 0 ? `${shown} and ${rest} more` : shown
}

/** Names of others in a sentence of ours: bounded, and on one line. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name)
}
