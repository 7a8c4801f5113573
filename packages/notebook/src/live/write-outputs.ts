import { isDeepStrictEqual } from 'node:util'
import { type Array as SharedList, Map as SharedMap, Text as SharedText } from 'yjs'
import type { Output } from '../document/nbformat.ts'
import { toSharedOutput } from './shared-cell.ts'

/** Makes a list of outputs, which reads `before`, read `after`. What has only grown is appended to, and what is the same stays. */
export function writeOutputs(
  shared: SharedList<unknown>,
  before: readonly Output[],
  after: readonly Output[],
): void {
  const both = Math.min(before.length, after.length)
  for (let index = 0; index < both; index += 1) {
    const [old, next] = [before[index], after[index]]
    if (!old || !next || isSame(old, next) || append(shared.get(index), old, next)) continue
    shared.delete(index)
    shared.insert(index, [toSharedOutput(next)])
  }
  if (before.length > both) shared.delete(both, before.length - both)
  if (after.length > both) shared.insert(both, after.slice(both).map(toSharedOutput))
}

/** Long texts are compared without being taken apart. */
function isSame(a: Output, b: Output): boolean {
  return a === b || isDeepStrictEqual(a, b)
}

function append(shared: unknown, old: Output, next: Output): boolean {
  if (old.output_type !== 'stream' || next.output_type !== 'stream' || old.name !== next.name) return false
  if (Object.keys(old).length !== Object.keys(next).length || !next.text.startsWith(old.text)) return false
  const text = shared instanceof SharedMap ? shared.get('text') : undefined
  if (!(text instanceof SharedText)) return false
  text.insert(text.length, next.text.slice(old.text.length))
  return true
}
