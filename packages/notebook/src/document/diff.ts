import { createTwoFilesPatch, OMIT_HEADERS } from 'diff/lib/patch/create.js'

/** Past this many changed lines a minimal difference costs more than it tells. */
const MAX_CHANGED_LINES = 500

/** Hunks with three lines of context, without a header. Empty when nothing differs. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return ''
  // Sources rarely end in a line break: only a difference in it is worth a word.
  const end = before.endsWith('\n') || after.endsWith('\n') ? '' : '\n'
  const patch = createTwoFilesPatch(
    '',
    '',
    before && before + end,
    after && after + end,
    undefined,
    undefined,
    {
      context: 3,
      maxEditLength: MAX_CHANGED_LINES,
      headerOptions: OMIT_HEADERS,
    },
  )
  return patch?.replace(/\n$/, '') ?? replaced(before.split('\n'), after.split('\n'))
}

function replaced(before: readonly string[], after: readonly string[]): string {
  return [
    `@@ -1,${before.length} +1,${after.length} @@`,
    ...before.map((line) => `-${line}`),
    ...after.map((line) => `+${line}`),
  ].join('\n')
}
