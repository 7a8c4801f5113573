import { codeCellAt } from './find-cell.ts'
import type { Json, Notebook, Output } from './nbformat.ts'

/** The count goes too. Returns how many outputs there were. */
export function clearOutputs(draft: Notebook, index: number): number {
  const cell = codeCellAt(draft, index)
  const removed = cell.outputs.length
  cell.outputs = []
  cell.execution_count = null
  return removed
}

/** Keeps of each output exactly what nbformat allows: kernels add keys, such as `transient`, that make a notebook invalid. */
export function setOutputs(
  draft: Notebook,
  index: number,
  outputs: readonly Output[],
  executionCount: number | null,
): void {
  const cell = codeCellAt(draft, index)
  cell.outputs = outputs.map(toStored)
  cell.execution_count = executionCount
}

function toStored(output: Output): Output {
  const { output_type } = output
  switch (output_type) {
    case 'stream':
      return { output_type, name: output.name, text: output.text.toWellFormed() }
    case 'display_data':
      return { output_type, data: wellFormed(output.data), metadata: wellFormed(output.metadata) }
    case 'execute_result': {
      const { data, metadata, execution_count } = output
      return { output_type, data: wellFormed(data), metadata: wellFormed(metadata), execution_count }
    }
    case 'error': {
      const { ename, evalue, traceback } = output
      return {
        output_type,
        ename: ename.toWellFormed(),
        evalue: evalue.toWellFormed(),
        traceback: traceback.map((line) => line.toWellFormed()),
      }
    }
  }
}

/** Half a surrogate pair cannot be written to a file, and the server would refuse the whole notebook for it. */
function wellFormed(record: Json): Json {
  return JSON.parse(JSON.stringify(record), (_key, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  )
}
