import { applyEdits, type Edit } from './edit.ts'
import { rewriteArray } from './edit-array.ts'
import { type LayoutNode, layoutOf, type Path, type Section } from './layout.ts'
import { createPage } from './page.ts'
import type { TomlDocument } from './parse-toml.ts'
import { indexPlaces } from './places.ts'
import { isTable, isTableList, sameValue } from './same-value.ts'
import { writeEntry, writeSections } from './write-table.ts'
import { writeHeader, writeKey, writeValue } from './write-value.ts'

/** Changes, adds and removes values where they stand; all else in the text stays as it is. */
export function patchValues(text: string, old: TomlDocument, next: TomlDocument): string {
  const layout = layoutOf(text)
  const page = createPage(text, layout)
  const places = indexPlaces(layout)
  const edits: Edit[] = []
  /** Behind the end of the text: entries of tables that have no header yet, then tables. */
  const entries = new Map<string, string[]>()
  const sections: string[] = []

  changeTable([], old, next)
  return withAppendix(applyEdits(text, edits))

  function changeTable(path: Path, before: TomlDocument, after: TomlDocument): void {
    for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) remove([...path, key])
    for (const [key, value] of Object.entries(after)) {
      if (Object.hasOwn(before, key)) change([...path, key], before[key], value)
      else add(path, key, value)
    }
  }

  function change(path: Path, before: unknown, after: unknown): void {
    if (sameValue(before, after)) return
    const node = places.nodes.get(JSON.stringify(path))
    if (isTable(before) && isTable(after) && (node ? sameKeys(before, after) : isHeld(path, after)))
      changeTable(path, before, after)
    else if (
      Array.isArray(before) &&
      Array.isArray(after) &&
      before.length === after.length &&
      (node ? node.kind === 'array' : isTableList(after))
    )
      for (const [index, item] of after.entries()) change([...path, index], before[index], item)
    else if (node && !isListToBe(node, before, after)) replace(node, before, after)
    else {
      remove(path)
      add(path.slice(0, -1), String(path.at(-1)), after)
    }
  }

  function replace(node: LayoutNode, before: unknown, after: unknown): void {
    const isList = node.kind === 'array' && Array.isArray(before) && Array.isArray(after)
    edits.push({ ...node.value, text: isList ? rewriteArray(text, node, before, after) : writeValue(after) })
  }

  /** A table without keys needs a header of its own to be there. */
  function isHeld(path: Path, table: TomlDocument): boolean {
    return Object.keys(table).length > 0 || places.sections.has(JSON.stringify(path))
  }

  /** `stdio = []` turns into `[[…stdio]]` with its first item. */
  function isListToBe(node: LayoutNode, before: unknown, after: unknown): boolean {
    const isEmpty = Array.isArray(before) && before.length === 0
    return isEmpty && isTableList(after) && places.entries.has(node) && isPlain(node.path)
  }

  function remove(path: Path): void {
    const node = places.nodes.get(JSON.stringify(path))
    if (node && places.entries.has(node)) edits.push({ ...page.entry(node), text: '' })
    if (node) return
    for (const section of layout.sections) {
      if (isBelow(section.path, path)) edits.push({ ...page.withBlanks(page.block(section)), text: '' })
      else
        for (const entry of section.nodes)
          if (isBelow(entry.path, path)) edits.push({ ...page.entry(entry), text: '' })
    }
  }

  function add(path: Path, key: string, value: unknown): void {
    if ((isTable(value) || isTableList(value)) && isPlain(path)) {
      sections.push(...writeSections([...path, key], value))
      return
    }
    const section = places.sections.get(JSON.stringify(path))
    const dotted = section ? undefined : places.dotted.get(JSON.stringify(path))
    if (section) insertBelow(section, writeEntry([key, value]))
    else if (dotted) {
      const names = [...path.slice(dotted.section.path.length), key].map((part) => writeKey(String(part)))
      insertAt(page.lineEnd(dotted.node.value.end), `${names.join('.')} = ${writeValue(value)}`)
    } else {
      const header = writeHeader(path, false)
      entries.set(header, [...(entries.get(header) ?? [header]), writeEntry([key, value])])
    }
  }

  function insertBelow(section: Section, line: string): void {
    const last = section.nodes.at(-1)
    const next = layout.sections[1]
    if (last) insertAt(page.lineEnd(last.value.end), line)
    else if (section.kind !== 'root') insertAt(page.lineEnd(section.header.end), line)
    else insertAt(next ? page.block(next).start : text.length, line, next ? page.newline : '')
  }

  function insertAt(offset: number, line: string, gap = ''): void {
    const start = offset > 0 && text[offset - 1] !== '\n' ? page.newline : ''
    edits.push({ start: offset, end: offset, text: `${start}${line}${page.newline}${gap}` })
  }

  function withAppendix(body: string): string {
    const blocks = [...[...entries.values()].map((lines) => lines.join('\n')), ...sections]
    if (blocks.length === 0) return body
    const start = body === '' || body.endsWith('\n') ? body : body + page.newline
    const gap = start.trim() === '' ? '' : page.newline
    return start + gap + `${blocks.join('\n\n')}\n`.replaceAll('\n', page.newline)
  }
}

function isPlain(path: Path): path is readonly string[] {
  return path.every((part) => typeof part === 'string')
}

function isBelow(path: Path, parent: Path): boolean {
  return parent.every((part, at) => path[at] === part)
}

function sameKeys(one: TomlDocument, other: TomlDocument): boolean {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key))
}
