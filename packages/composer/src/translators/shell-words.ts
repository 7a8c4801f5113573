const PLAIN = /^[A-Za-z0-9_./:=@%+,-]+$/

/** A command line that any POSIX shell reads as these words, and as nothing else. */
export function toCommandLine(words: readonly string[]): string {
  return words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
}
