import * as Y from 'yjs'
import { isRecord, type JsonRecord, toPlain, toPlainRecord } from '../json.ts'
import { type Cell, createCellId, joinOutput, type Notebook, untrusted } from '../notebook/nbformat.ts'

/** A notebook as a shared document: the layout of `@jupyter/ydoc`, version 2. */
export interface SharedNotebook {
  readonly state: Y.Map<unknown>
  readonly meta: Y.Map<unknown>
  readonly cells: Y.Array<unknown>
}

const CELL_TYPES: ReadonlySet<unknown> = new Set(['code', 'markdown', 'raw'])

export function sharedNotebookOf(doc: Y.Doc): SharedNotebook {
  return { state: doc.getMap('state'), meta: doc.getMap('meta'), cells: doc.getArray('cells') }
}

/** Into an empty document. */
export function fillDocument(doc: Y.Doc, notebook: Notebook): void {
  const { meta, cells } = sharedNotebookOf(doc)
  doc.transact(() => {
    meta.set('nbformat', notebook.nbformat)
    meta.set('nbformat_minor', notebook.nbformat_minor)
    meta.set('metadata', toMap(notebook.metadata))
    cells.push(notebook.cells.map(toSharedCell))
  })
}

/** What there is of a notebook in a document that anybody may have written to. Half of a cell is none. */
export function readDocument(doc: Y.Doc): Notebook {
  const { meta, cells } = sharedNotebookOf(doc)
  const taken = new Set<string>()
  return {
    nbformat: 4,
    nbformat_minor: numberOf(meta.get('nbformat_minor')) ?? 5,
    metadata: toPlainRecord(jsonOf(meta.get('metadata'))),
    cells: cells.toArray().flatMap((cell) => readCell(cell, taken) ?? []),
  }
}

export function toSharedCell(cell: Cell): Y.Map<unknown> {
  const { id, cell_type, source, metadata, outputs, execution_count, attachments } = cell
  const shared = new Y.Map<unknown>()
  const isCode = cell_type === 'code'
  shared.set('id', id)
  shared.set('cell_type', cell_type)
  shared.set('source', new Y.Text(source))
  shared.set('metadata', toMap(isCode ? { ...untrusted(metadata), trusted: true } : untrusted(metadata)))
  if (isCode) {
    shared.set('outputs', Y.Array.from(listOf(outputs).map(toSharedOutput)))
    shared.set('execution_count', execution_count ?? null)
    shared.set('execution_state', 'idle')
  } else if (attachments !== undefined) shared.set('attachments', attachments)
  return shared
}

export function toSharedOutput(output: JsonRecord): Y.Map<unknown> {
  const shared = toMap(output)
  if (output.output_type === 'stream' && typeof output.text === 'string')
    shared.set('text', new Y.Text(output.text))
  return shared
}

export function idOf(shared: unknown): unknown {
  return shared instanceof Y.Map ? shared.get('id') : undefined
}

function readCell(shared: unknown, taken: Set<string>): Cell | undefined {
  if (!(shared instanceof Y.Map) || !CELL_TYPES.has(shared.get('cell_type'))) return undefined
  const known = shared.get('id')
  const id = typeof known === 'string' && known !== '' && !taken.has(known) ? known : createCellId()
  taken.add(id)
  const attachments = jsonOf(shared.get('attachments'))
  return {
    id,
    cell_type: String(shared.get('cell_type')),
    source: textOf(shared.get('source')),
    metadata: untrusted(toPlainRecord(jsonOf(shared.get('metadata')))),
    ...(isRecord(attachments) && { attachments: toPlainRecord(attachments) }),
    ...(shared.get('cell_type') === 'code' && {
      outputs: readOutputs(shared.get('outputs')),
      execution_count: numberOf(shared.get('execution_count')) ?? null,
    }),
  }
}

function readOutputs(shared: unknown): JsonRecord[] {
  const outputs = jsonOf(shared)
  return listOf(outputs).map((output) => joinOutput(toPlainRecord(output)))
}

function toMap(record: JsonRecord): Y.Map<unknown> {
  return new Y.Map(Object.entries(record).map(([key, value]) => [key, toPlain(value)] as const))
}

function jsonOf(value: unknown): unknown {
  return value instanceof Y.AbstractType ? value.toJSON() : value
}

function textOf(value: unknown): string {
  const json = jsonOf(value)
  if (typeof json === 'string') return json
  return Array.isArray(json) ? json.filter((line) => typeof line === 'string').join('') : ''
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? Math.trunc(number) : undefined
}

function listOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
