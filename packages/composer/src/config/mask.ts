import { isRecord } from '@quire/mcp/json'
import { configError } from './config-fault.ts'
import { isReference, isSecretName, MASK, maskValue } from './secrets.ts'
import { valueAt } from './server-entries.ts'
import { applyEdits, type Edit } from './toml/edit.ts'
import { type Layout, type LayoutNode, layoutOf, type Path } from './toml/layout.ts'
import { parseToml, type TomlDocument } from './toml/parse-toml.ts'
import { writeValue } from './toml/write-value.ts'

/** The document as the text has it, variables and secrets included. Throws a `ComposerError` for what is no TOML. */
export function documentOf(text: string): TomlDocument {
  const parsed = parseToml(text)
  if ('document' in parsed) return parsed.document
  throw configError('The configuration', [{ path: '', ...parsed.fault }])
}

/** The document without its secrets. */
export function maskedDocument(document: TomlDocument): TomlDocument {
  return Object.fromEntries(Object.entries(document).map(([key, value]) => [key, copy(value, [key])]))
}

function copy(value: unknown, path: Path, previous?: unknown): unknown {
  if (value instanceof Date) return value
  if (Array.isArray(value)) return value.map((item, at) => copy(item, [...path, at], value[at - 1]))
  if (!isRecord(value)) return maskValue(value, path, previous)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item, [...path, key])]))
}

/** The text without its secrets, everything else as it is. */
export function maskConfigText(text: string): string {
  const document = documentOf(text)
  const layout = layoutOf(text)
  const edits = scalarsOf(layout).flatMap((node): Edit[] => {
    const masked = maskedAt(document, node.path)
    return masked === valueAt(document, node.path) ? [] : [{ ...node.value, text: writeValue(masked) }]
  })
  const comments = layout.comments.map(
    (span): Edit => ({ ...span, text: maskComment(text.slice(span.start, span.end)) }),
  )
  return applyEdits(text, [...edits, ...comments])
}

/** What may be shown of one value of a document. */
export function maskedAt(document: TomlDocument, path: Path): unknown {
  const at = path.at(-1)
  const previous =
    typeof at === 'number' && at > 0 ? valueAt(document, [...path.slice(0, -1), at - 1]) : undefined
  return maskValue(valueAt(document, path), path, previous)
}

export function scalarsOf(layout: Layout): readonly LayoutNode[] {
  return layout.sections.flatMap(({ nodes }) => nodes.flatMap(scalarsIn))
}

function scalarsIn(node: LayoutNode): readonly LayoutNode[] {
  return node.kind === 'scalar' ? [node] : node.children.flatMap(scalarsIn)
}

// Each match begins at the start of a word and is bounded: a long comment costs its length and no more.
const ASSIGNMENT = /(?<![\w-])([\w-]{1,200})("?\s{0,8}=\s{0,8})("(?:[^"\\]|\\.)*"|'[^']*')/g
const LIST_OF_SECRETS = /\b(?:env|headers|keys)"?\s{0,8}=\s{0,8}[[{]/
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g

/** A server that is commented out still has its secrets. */
export function maskComment(comment: string): string {
  const hide = (quoted: string) => (isReference(quoted.slice(1, -1)) ? quoted : `"${MASK}"`)
  if (LIST_OF_SECRETS.test(comment)) return comment.replace(QUOTED, hide)
  return comment.replace(ASSIGNMENT, (whole, name: string, between: string, value: string) => {
    const isSecret = isSecretName(name) || /^[A-Z0-9_]+$/.test(name)
    return isSecret ? `${name}${between}${hide(value)}` : whole
  })
}
