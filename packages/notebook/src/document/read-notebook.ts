import { ToolError, type ToolErrorCode } from '../tool-error.ts'
import { isRecord, quote } from './json.ts'
import type { Cell, Json, Notebook } from './nbformat.ts'
import { joinLines, joinMimeBundle, toCount, toOutput } from './read-output.ts'

/** Checks loosely: whatever Jupyter opens is opened. Keys that we do not know stay. */
export function toNotebook(content: unknown): Notebook {
  if (!isRecord(content)) throw notANotebook('it does not hold a JSON object')
  const { nbformat, nbformat_minor, cells, metadata } = content
  if (typeof nbformat !== 'number') throw notANotebook('it does not say which notebook format it has')
  if (nbformat !== 4) throw wrongFormat(nbformat)
  if (!Array.isArray(cells)) throw notANotebook('it has no list of cells')
  return {
    ...content,
    nbformat,
    nbformat_minor: toCount(nbformat_minor) ?? 0,
    metadata: isRecord(metadata) ? metadata : {},
    cells: cells.map(toCell),
  }
}

/** The server converts an older notebook while reading, so that writing it back would convert the file without anybody's wish. */
export function refuseOldFormat({ metadata }: Notebook): void {
  const original = metadata.orig_nbformat
  if (typeof original === 'number' && original < 4) {
    throw oldFormat('forbidden', original, 'an edit would convert the whole file')
  }
}

export function toCell(value: unknown, index: number): Cell {
  if (!isRecord(value)) throw malformed(index, 'is not a JSON object')
  const { id, ...rest } = value
  const { cell_type, source = '', metadata, outputs, execution_count, attachments } = rest
  const text = joinLines(source)
  if (typeof text !== 'string') throw malformed(index, 'has a source that is not text')
  const common = {
    ...(typeof id === 'string' && { id }),
    source: text,
    metadata: isRecord(metadata) ? metadata : {},
  }
  if (cell_type === 'code') {
    if (outputs !== undefined && !Array.isArray(outputs))
      throw malformed(index, 'has outputs that are no list')
    return {
      ...rest,
      ...common,
      cell_type,
      execution_count: toCount(execution_count),
      outputs: (outputs ?? []).map((output) => {
        if (!isRecord(output)) throw malformed(index, 'has an output that is not a JSON object')
        return toOutput(output)
      }),
    }
  }
  if (cell_type === 'markdown' || cell_type === 'raw') {
    const joined = isRecord(attachments) && { attachments: joinAttachments(attachments) }
    return { ...rest, ...common, cell_type, ...joined }
  }
  throw malformed(index, `is of the type ${quote(String(cell_type))}, where code, markdown and raw are known`)
}

function joinAttachments(attachments: Json): Json {
  return Object.fromEntries(
    Object.entries(attachments).map(([name, bundle]) => [
      name,
      isRecord(bundle) ? joinMimeBundle(bundle) : bundle,
    ]),
  )
}

function wrongFormat(nbformat: number): ToolError {
  if (nbformat < 4) return oldFormat('invalid_argument', nbformat, 'only the format 4 is known here')
  return new ToolError(
    'invalid_argument',
    `This notebook is in the format ${nbformat}, and only the format 4 is known here. Save it in the format 4 with a newer Jupyter, then try again.`,
  )
}

function oldFormat(code: ToolErrorCode, nbformat: number, why: string): ToolError {
  return new ToolError(
    code,
    `This notebook is in the old format ${nbformat}, and ${why}. Open and save it once in Jupyter to convert it, then try again.`,
  )
}

function notANotebook(why: string): ToolError {
  return new ToolError(
    'invalid_argument',
    `This file is not a notebook: ${why}. Check the path, or mend the file in an editor.`,
  )
}

function malformed(index: number, what: string): ToolError {
  return new ToolError(
    'invalid_argument',
    `This notebook cannot be read: cell ${index} ${what}. Mend the file in an editor, or open and save it once in Jupyter.`,
  )
}
