/** Notebooks as nbformat 4 has them, with every multi-line text joined. Unknown keys are kept as they came. */
export interface Notebook {
  cells: Cell[]
  metadata: Json
  nbformat: number
  nbformat_minor: number
}

export type Json = Record<string, unknown>

export type CellType = 'code' | 'markdown' | 'raw'

interface CellBase {
  /** Since nbformat 4.5. */
  id?: string
  source: string
  metadata: Json
}

export interface CodeCell extends CellBase {
  cell_type: 'code'
  execution_count: number | null
  outputs: Output[]
}

export interface TextCell extends CellBase {
  cell_type: 'markdown' | 'raw'
  attachments?: Json
}

export type Cell = CodeCell | TextCell

export interface StreamOutput {
  output_type: 'stream'
  name: 'stdout' | 'stderr'
  text: string
}

/** By media type: text joined, JSON as it is, images in base64. */
export type MimeBundle = Record<string, unknown>

export interface DisplayOutput {
  output_type: 'display_data'
  data: MimeBundle
  metadata: Json
}

export interface ResultOutput {
  output_type: 'execute_result'
  data: MimeBundle
  metadata: Json
  execution_count: number | null
}

export interface ErrorOutput {
  output_type: 'error'
  ename: string
  evalue: string
  traceback: string[]
}

export type Output = StreamOutput | DisplayOutput | ResultOutput | ErrorOutput
