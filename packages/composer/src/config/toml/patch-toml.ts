import { stringify } from 'smol-toml'
import { alignItems } from './align-items.ts'
import { parseToml, type TomlDocument } from './parse-toml.ts'
import { patchValues } from './patch-values.ts'
import { sameValue } from './same-value.ts'

/** The text changed so that it says what the new document says, with its comments and its layout. */
export function patchToml(text: string, old: TomlDocument, next: TomlDocument): string {
  const aligned = alignItems(text, old, next)
  const moved = parseToml(aligned)
  const patched = 'document' in moved ? patchValues(aligned, moved.document, next) : aligned
  const result = parseToml(patched)
  // What the text says matters more than how: a layout beyond our means is written anew.
  return 'document' in result && sameValue(result.document, next) ? patched : stringify(next)
}
