import { exceedsDepth, isRecord } from '@quire/mcp/json'
import { ComposerError } from '../composer-error.ts'
import { configError, type PathFault, pathName } from './config-fault.ts'
import { documentOf, maskComment, scalarsOf } from './mask.ts'
import { MASK } from './secrets.ts'
import { valueAt } from './server-entries.ts'
import { applyEdits, type Edit } from './toml/edit.ts'
import { type Layout, layoutOf, type Path } from './toml/layout.ts'
import { createLocator } from './toml/locate.ts'
import { patchToml } from './toml/patch-toml.ts'
import { writeValue } from './toml/write-value.ts'
import { unmaskDocument } from './unmask.ts'

const MAX_DEPTH = 16

/** The old text changed so that it says what the document says, its comments kept, its secrets put back where the document has masks. */
export function applyDocument(oldText: string, newDocument: unknown): string {
  if (!isRecord(newDocument)) throw refusal([{ path: [], message: 'must be an object of tables' }])
  if (exceedsDepth(newDocument, MAX_DEPTH))
    throw refusal([{ path: [], message: `nests more than ${MAX_DEPTH} deep` }])
  const strange = faultsOf(newDocument, [])
  if (strange.length > 0) throw refusal(strange)
  const old = documentOf(oldText)
  const { document, faults } = unmaskDocument(newDocument, old)
  if (faults.length > 0) throw refusal(faults)
  return patchToml(oldText, old, document)
}

/** The new text with the secrets of the old one where it has masks. */
export function unmaskText(oldText: string, newText: string): string {
  const next = documentOf(newText)
  if (!newText.includes(MASK)) return newText
  const layout = layoutOf(newText)
  const { document, faults } = unmaskDocument(next, documentOf(oldText))
  if (faults.length > 0) {
    const { of } = createLocator(newText, layout)
    throw configError(
      'The configuration',
      faults.map(({ path, message }) => ({ path: pathName(path), ...of(path), message })),
    )
  }
  const values = scalarsOf(layout).flatMap(({ path, value }): Edit[] => {
    const secret = valueAt(document, path)
    return secret === valueAt(next, path) ? [] : [{ ...value, text: writeValue(secret) }]
  })
  return applyEdits(newText, [...values, ...commentEdits(oldText, newText, layout)])
}

/** A masked comment that the old text had is that comment; of several that look the same, each is one. */
function commentEdits(oldText: string, newText: string, layout: Layout): readonly Edit[] {
  const comments = layoutOf(oldText).comments.map(({ start, end }) => oldText.slice(start, end))
  const originals = Map.groupBy(comments, maskComment)
  return layout.comments.flatMap((span): Edit[] => {
    const original = originals.get(newText.slice(span.start, span.end))?.shift()
    return original === undefined ? [] : [{ ...span, text: original }]
  })
}

const UNSAFE_KEYS = ['__proto__', 'constructor', 'prototype']

/** What JSON can say and TOML cannot. */
function faultsOf(value: unknown, path: Path): readonly PathFault[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => faultsOf(item, [...path, at]))
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([key, item]) =>
      UNSAFE_KEYS.includes(key)
        ? [{ path: [...path, key], message: 'is no name that a key may have' }]
        : faultsOf(item, [...path, key]),
    )
  }
  if (value === null || value === undefined)
    return [{ path, message: 'is null, which the file cannot say: leave the key out' }]
  if (typeof value === 'string' && !value.isWellFormed()) return [{ path, message: 'holds half a character' }]
  const isLost = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  return isLost ? [{ path, message: 'is too large a number' }] : []
}

function refusal(faults: readonly PathFault[]): ComposerError {
  const errors = faults.map(({ path, message }) => ({ path: pathName(path), message }))
  const lines = errors.map(({ path, message }) => `- ${path || 'the configuration'} ${message}`)
  return new ComposerError('CONFIG_INVALID', ['The configuration cannot be used:', ...lines].join('\n'), {
    errors,
  })
}
