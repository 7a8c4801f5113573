const LONGEST_PATTERN = 200
const LONGEST_TEXT = 128
const MOST_REPEATS = 3
const REPEAT = /[*+{]|(?<!\()\?/g
/** A choice, a group that is repeated, a look around, or a reference back: those that can take for ever. */
const WILD = /\||\)[*+{]|\(\?[^:]|\\[1-9k]/

/** Whether the text is of the pattern. Undefined where that may take long: the pattern is a stranger's, and nothing could stop it. */
export function isLike(text: string, pattern: string): boolean | undefined {
  if (pattern.length > LONGEST_PATTERN || text.length > LONGEST_TEXT || WILD.test(pattern)) return undefined
  if ((pattern.match(REPEAT)?.length ?? 0) > MOST_REPEATS) return undefined
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return undefined
  }
}
