/** Fragments that are kept apart; older ones are one text. */
const KEPT_APART = 64

/**
 * The text of a step while it grows. All readers share it and hold an offset; one that keeps up gets the fragments as they came, and the whole is not
 * copied for each of them.
 */
export function createGrowingText() {
  let head = ''
  let fragments: string[] = []
  let length = 0

  return Object.freeze({
    length: () => length,
    append(fragment: string): void {
      if (fragment === '') return
      if (fragments.length === KEPT_APART) {
        head += fragments.join('')
        fragments = []
      }
      fragments.push(fragment)
      length += fragment.length
    },
    /** All that follows the first `offset` characters. */
    after(offset: number): string {
      if (offset >= length) return ''
      let start = length
      for (let index = fragments.length - 1; index >= 0; index--) {
        const fragment = fragments[index] ?? ''
        start -= fragment.length
        if (start > offset) continue
        const rest = offset === start ? fragment : fragment.slice(offset - start)
        return index === fragments.length - 1 ? rest : rest + fragments.slice(index + 1).join('')
      }
      return head.slice(offset) + fragments.join('')
    },
    clear(): void {
      head = ''
      fragments = []
      length = 0
    },
  })
}
