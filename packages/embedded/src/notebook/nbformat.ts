import { randomUUID } from 'node:crypto'
import { exceedsDepth, isRecord, type JsonRecord } from '../json.ts'

/** A notebook of format 4 with its texts in one piece. What a cell or an output has beyond what we know is kept. */
export interface Notebook {
  readonly nbformat: number
  readonly nbformat_minor: number
  readonly metadata: JsonRecord
  readonly cells: readonly Cell[]
}

export type Cell = JsonRecord & { readonly id: string; readonly cell_type: string; readonly source: string }

export class NotebookFault extends Error {
  override readonly name = 'NotebookFault'
}

const FORMAT = 4
/** From this minor version on cells have ids. */
const FIRST_WITH_IDS = 5
const DEEPEST = 200
const CELL_TYPES: ReadonlySet<string> = new Set(['code', 'markdown', 'raw'])
const SPLIT_TYPES: ReadonlySet<string> = new Set(['application/javascript', 'image/svg+xml'])
const JSON_MIME = /^application\/(?:.*\+)?json$/

export const EMPTY_NOTEBOOK: Notebook = Object.freeze({
  nbformat: FORMAT,
  nbformat_minor: FIRST_WITH_IDS,
  metadata: {},
  cells: [],
})

/** Throws a `NotebookFault` for what is no notebook. */
export function parseNotebook(text: string): Notebook {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new NotebookFault('it is not JSON', { cause: error })
  }
  return toNotebook(value)
}

export function toNotebook(value: unknown): Notebook {
  if (!isRecord(value)) throw new NotebookFault('it is no JSON object')
  if (exceedsDepth(value, DEEPEST)) throw new NotebookFault(`it is nested deeper than ${DEEPEST} levels`)
  const { nbformat, nbformat_minor = 0, metadata = {}, cells } = value
  if (nbformat !== FORMAT)
    throw new NotebookFault(`its nbformat is ${JSON.stringify(nbformat)}, not ${FORMAT}`)
  if (!Number.isInteger(nbformat_minor) || !isRecord(metadata) || !Array.isArray(cells))
    throw new NotebookFault('its nbformat_minor, metadata or cells are not what they have to be')
  const taken = new Set<string>()
  return {
    ...value,
    nbformat,
    nbformat_minor: Number(nbformat_minor),
    metadata,
    cells: cells.map((cell, index) => toCell(cell, index, taken)),
  }
}

/** As Jupyter writes it: texts as lists of lines, keys in order, one space deep. */
export function formatNotebook(notebook: Notebook): string {
  const hasIds = notebook.nbformat_minor >= FIRST_WITH_IDS
  const cells = notebook.cells.map((cell) => splitCell(cell, hasIds))
  return `${JSON.stringify(sortKeys({ ...notebook, cells }), null, 1)}\n`
}

/** What is said of a cell in passing, and belongs in no file. */
export function withoutTrust(notebook: Notebook): Notebook {
  return {
    ...notebook,
    cells: notebook.cells.map((cell) => ({ ...cell, metadata: untrusted(cell.metadata) })),
  }
}

export function withTrust(notebook: Notebook): Notebook {
  const cells = notebook.cells.map((cell) =>
    cell.cell_type === 'code' ? { ...cell, metadata: { ...untrusted(cell.metadata), trusted: true } } : cell,
  )
  return { ...notebook, cells }
}

export function untrusted(metadata: unknown): JsonRecord {
  const { trusted: _, ...rest } = isRecord(metadata) ? metadata : {}
  return rest
}

/** Ids are unique: of two cells with one id the second gets another. */
function toCell(value: unknown, index: number, taken: Set<string>): Cell {
  if (!isRecord(value) || typeof value.cell_type !== 'string' || !CELL_TYPES.has(value.cell_type))
    throw new NotebookFault(`the cell_type of its cell ${index} is none of ${[...CELL_TYPES].join(', ')}`)
  const id =
    typeof value.id === 'string' && value.id !== '' && !taken.has(value.id) ? value.id : createCellId()
  taken.add(id)
  const { attachments, outputs, execution_count } = value
  return {
    ...value,
    id,
    cell_type: value.cell_type,
    source: joinLines(value.source) ?? '',
    metadata: isRecord(value.metadata) ? value.metadata : {},
    ...(isRecord(attachments) && { attachments: mapValues(attachments, joinBundle) }),
    ...(value.cell_type === 'code' && {
      outputs: Array.isArray(outputs) ? outputs.filter(isRecord).map(joinOutput) : [],
      execution_count: typeof execution_count === 'number' ? execution_count : null,
    }),
  }
}

export function createCellId(): string {
  return randomUUID().slice(0, 8)
}

export function joinOutput(output: JsonRecord): JsonRecord {
  return {
    ...output,
    ...(output.output_type === 'stream' && { text: joinLines(output.text) ?? '' }),
    ...(isRecord(output.data) && { data: joinBundle(output.data) }),
  }
}

function splitCell({ id, ...cell }: Cell, hasId: boolean): JsonRecord {
  const { attachments, outputs } = cell
  return {
    ...cell,
    ...(hasId && { id }),
    source: splitLines(cell.source),
    ...(isRecord(attachments) && { attachments: mapValues(attachments, splitBundle) }),
    ...(Array.isArray(outputs) && { outputs: outputs.filter(isRecord).map(splitOutput) }),
  }
}

function splitOutput(output: JsonRecord): JsonRecord {
  return {
    ...output,
    ...(output.output_type === 'stream' &&
      typeof output.text === 'string' && { text: splitLines(output.text) }),
    ...(isRecord(output.data) && { data: splitBundle(output.data) }),
  }
}

function joinBundle(bundle: unknown): unknown {
  return mapValues(bundle, (value, type) => (JSON_MIME.test(type) ? value : (joinLines(value) ?? value)))
}

function splitBundle(bundle: unknown): unknown {
  return mapValues(bundle, (value, type) =>
    typeof value === 'string' && (type.startsWith('text/') || SPLIT_TYPES.has(type))
      ? splitLines(value)
      : value,
  )
}

function joinLines(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.every((line) => typeof line === 'string') ? value.join('') : undefined
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function mapValues(value: unknown, change: (item: unknown, key: string) => unknown): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item, key)]))
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isRecord(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key])]))
}
