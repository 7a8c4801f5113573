/** What the services say begins small, for it stands behind a name: `ended with exit code 3`. */
export function toSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
