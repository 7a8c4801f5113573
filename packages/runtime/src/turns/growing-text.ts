/** Fragments that are kept apart; older ones are one text. */
const KEPT_APART = 64

const MOST_AT_ONCE = 65_536

/**
 * The text of a step while it grows. All readers share it and hold an offset; one that keeps up gets the fragments as they came, and the whole is not
 * copied for each of them.
 */
export function createGrowingText() {
  let head = ''
  let fragments: string[] = []
  let length = 0

  /** Where nothing of a piece of so many characters was left, the fragments behind it. */
  function withMore(text: string, characters: number, from: number): string {
    let all = text
    if (text.length === characters)
      for (let index = from; index < fragments.length && all.length < MOST_AT_ONCE; index++)
        all += fragments[index]
    return all
  }

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
    /** What follows the first `offset` characters, or some of it: never more than a reader sends at a time. */
    after(offset: number): string {
      if (offset < head.length) return withMore(cut(head, offset), head.length - offset, 0)
      let start = head.length
      for (const [index, fragment] of fragments.entries()) {
        const end = start + fragment.length
        if (offset < end) {
          return withMore(cut(fragment, offset - start), end - offset, index + 1)
        }
        start = end
      }
      return ''
    },
    /** For the one who stores it. */
    whole: () => head + fragments.join(''),
    clear(): void {
      head = ''
      fragments = []
      length = 0
    },
  })
}

/** A pair of surrogates stays together. */
function cut(text: string, from: number): string {
  const end = from + MOST_AT_ONCE
  const last = end < text.length ? text.charCodeAt(end - 1) : 0
  return text.slice(from, last >= 0xd800 && last < 0xdc00 ? end - 1 : end)
}
