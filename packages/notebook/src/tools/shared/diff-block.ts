import { unifiedDiff } from '../../document/diff.ts'
import type { SourceChange } from '../../document/edit-source.ts'
import { cutText } from '../../outputs/cut-text.ts'

/** What has changed in a source, as a fenced block that the source itself cannot end. */
export function diffBlock({ before, after }: SourceChange, maxBytes: number): string {
  const diff = unifiedDiff(before, after)
  if (diff === '') return '- no changes detected'
  const shown = cutText(diff, maxBytes, (cut) => `[${cut} bytes of the difference are not shown]`)
  const fence = '`'.repeat(Math.max(3, longestRun(diff) + 1))
  return `${fence}diff\n${shown.text}\n${fence}`
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
}
