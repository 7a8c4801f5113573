import type { YNotebook } from '@jupyter/ydoc'
import type { OfficialClient, ToolReply } from './notebook-clients.fixture.ts'

export type Random = (below: number) => number

/** One edit at random. */
interface Edit {
  /** To be in what is new: in brackets, and without the sign that other edits write into it. */
  readonly mark: string
  /** Ids of the cells that the same one has made. Nobody moves the cells of others: whoever moves one makes it anew, so two who do have made two. */
  readonly own: Set<string>
  readonly random: Random
}

/** Numbers that are the same in every run. */
export function createRandom(start: number): Random {
  let seed = start
  return (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
}

/** By hand, in the document itself. */
export function editOnce(notebook: YNotebook, { mark, own, random }: Edit): void {
  const { cells } = notebook
  const at = random(cells.length)
  const cell = cells[at]
  const kind = random(20)
  if (kind < 4 || !cell) {
    const made = notebook.insertCell(random(cells.length + 1), { cell_type: 'code', source: mark })
    own.add(made.getId())
  } else if (kind < 7 && cells.length > 6) notebook.deleteCell(at)
  else if (kind < 10 && own.has(cell.getId())) notebook.moveCell(at, random(cells.length))
  else if (kind < 13 && 'setOutputs' in cell)
    cell.setOutputs([{ output_type: 'stream', name: 'stdout', text: `${mark}\n` }])
  else if (kind < 15) cell.updateSource(0, Math.min(2, cell.source.length), '')
  else cell.updateSource(random(cell.source.length + 1), 0, '~')
}

/** By a tool, which reads first. */
export async function callOnce({ call }: OfficialClient, { mark, own, random }: Edit): Promise<ToolReply> {
  const read = await call('read_notebook', { response_format: 'detailed', limit: 0 })
  if (read.isError) return read
  const cells = read.structured.cells as readonly { readonly id: string }[]
  const cell_id = cells[random(cells.length)]?.id
  const kind = random(20)
  if (kind < 6 || cell_id === undefined) {
    const reply = await call('insert_cell', { cell_index: -1, cell_source: mark, cell_type: 'code' })
    const { id } = (reply.structured.cell ?? {}) as { id?: string }
    if (id !== undefined) own.add(id)
    return reply
  }
  if (kind < 8 && cells.length > 6) return call('delete_cell', { cell_ids: [cell_id] })
  if (kind < 11 && own.has(cell_id))
    return call('move_cell', { source_cell_id: cell_id, target_cell_id: cells[0]?.id })
  if (kind < 13) return call('clear_cell_output', { cell_id })
  return call('overwrite_cell_source', { cell_id, cell_source: `# ${mark.length}\nchanged` })
}
