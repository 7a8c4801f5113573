import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backend } from './notebook-backends.fixture.ts'
import type { OfficialClient, ToolReply } from './notebook-clients.fixture.ts'

/** What a caller sees of one call, without what is new in every run. */
export interface Answer {
  readonly isError: boolean
  readonly text: string
  readonly kinds: readonly string[]
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4zwAE/xkgFAAb8gP91pbyKwAAAABJRU5ErkJggg=='
const PICTURE = `import base64
class Picture:
    def __repr__(self): return 'a picture'
    def _repr_png_(self): return base64.b64decode('${PNG}')
Picture()`
const LOOP = `print('it has begun', flush=True)
while True: pass`

/** The same work on any back end, told call by call. */
export async function runSuite({ connect, root }: Backend): Promise<ReadonlyMap<string, Answer>> {
  const answers = new Map<string, Answer>()
  const [ada, bob] = [await connect(), await connect()]
  const plain = createPlain()
  const tell = (what: string, { text, content, isError }: ToolReply) =>
    answers.set(what, { isError, text: plain(text), kinds: content.map(({ type }) => type) })
  const one = async (what: string, tool: string, args: Record<string, unknown> = {}, who = ada) =>
    tell(what, await who.call(tool, args))

  try {
    await one('a notebook that is not there', 'use_notebook', { ...named('n'), mode: 'connect' })
    await one('create', 'use_notebook', { ...named('n'), mode: 'create' })
    await one('create again', 'use_notebook', { ...named('n'), mode: 'create' }, bob)
    await one('insert code', 'insert_cell', cell(0, 'a = 20', 'code'))
    await one('insert markdown', 'insert_cell', cell(-1, '# Title\n\ntext', 'markdown'))
    await one('insert raw', 'insert_cell', cell(1, 'raw', 'raw'))
    await one('insert out of range', 'insert_cell', cell(99, 'x', 'code'))
    await one('files', 'list_files')
    await one('read', 'read_notebook')
    await edits(one, bob)
    await executions(one)
    await interrupts(ada, tell)
    await endings(one)
  } finally {
    await Promise.all([ada.close(), bob.close()])
  }
  const file = JSON.parse(await readFile(join(root, 'renamed.ipynb'), 'utf8'))
  answers.set('the file', { isError: false, text: plain(describeFile(file)), kinds: [] })
  return answers
}

type Call = (
  what: string,
  tool: string,
  args?: Record<string, unknown>,
  who?: OfficialClient,
) => Promise<unknown>

async function edits(one: Call, bob: OfficialClient): Promise<void> {
  await one('edit', 'edit_cell_source', { cell_index: 0, old_string: '20', new_string: '21' })
  await one('edit what is not there', 'edit_cell_source', { cell_index: 0, old_string: '7', new_string: '8' })
  await one('overwrite', 'overwrite_cell_source', { cell_index: 2, cell_source: '# Title\n\nother text 🎻' })
  await one('move', 'move_cell', { source_index: 2, target_index: 0 })
  await one('search', 'search_notebook', { pattern: 'a = ' })
  await one('another opens it', 'use_notebook', named('n'), bob)
  await one('another reads it', 'read_notebook', {}, bob)
  await one('another edits a cell', 'overwrite_cell_source', { cell_index: 1, cell_source: 'a = 22' }, bob)
  await one('an edit of what has changed', 'overwrite_cell_source', { cell_index: 1, cell_source: 'a = 23' })
  await one('an edit beside it', 'overwrite_cell_source', { cell_index: 0, cell_source: '# Title' })
  await one('another deletes a cell', 'delete_cell', { cell_indices: [2] }, bob)
  await one('an index that has moved', 'overwrite_cell_source', { cell_index: 2, cell_source: 'gone' })
  await one('read after that', 'read_notebook', { response_format: 'detailed' })
  await one('split', 'split_cell', { cell_index: 1, line: 1 })
  await one('change the type', 'change_cell_type', { cell_index: 0, cell_type: 'raw' })
}

async function executions(one: Call): Promise<void> {
  const streams = 'import sys\nprint("out")\nprint("err", file=sys.stderr)\na + 20'
  await one('execute', 'execute_cell', { cell_index: 1, stream: false })
  await one('insert and execute', 'insert_execute_code_cell', { ...cell(-1, streams), stream: false })
  await one('an error', 'insert_execute_code_cell', { ...cell(-1, 'print("before")\n1 / 0'), stream: false })
  await one('a picture', 'insert_execute_code_cell', { ...cell(-1, PICTURE), stream: false })
  await one('read the picture', 'read_cell', { cell_index: 4 })
  await one('read the streams', 'read_cell', { cell_index: 2 })
  await one('code beside the notebook', 'execute_code', { code: 'print(a); a * 2' })
  await one('code that fails', 'execute_code', { code: 'nothing_here' })
  await one('one variable', 'inspect_variables', { name: 'a' })
  await one('a timeout', 'insert_execute_code_cell', { ...cell(-1, LOOP), timeout: 2, stream: false })
  await one('after the timeout', 'execute_code', { code: 'a' })
  await one('run some', 'run_cells', { cell_indices: [1, 3, 2] })
  await one('clear', 'clear_cell_output', { cell_index: 2 })
  await one('read all', 'read_notebook', { response_format: 'detailed', include_outputs: true })
}

async function interrupts(ada: OfficialClient, tell: (what: string, reply: ToolReply) => unknown) {
  const { promise: hasBegun, resolve } = Promise.withResolvers<void>()
  const running = ada.call(
    'execute_cell',
    { cell_index: 5, timeout: 30, stream: false },
    { onprogress: ({ message = '' }) => message.includes('it has begun') && resolve() },
  )
  await hasBegun
  tell('interrupt', await ada.call('interrupt_kernel'))
  tell('what was interrupted', await running)
}

async function endings(one: Call): Promise<void> {
  await one('restart', 'restart_notebook')
  await one('after the restart', 'execute_code', { code: 'a' })
  await one('delete', 'delete_cell', { cell_indices: [5] })
  await one('merge', 'merge_cells', { cell_indices: [1, 2] })
  await one('save', 'save_notebook')
  await one('rename', 'rename_file', { path: 'n.ipynb', new_path: 'renamed.ipynb' })
  await one('notebooks', 'list_notebooks')
  await one('let go', 'unuse_notebook', { notebook_name: 'n' })
  await one('without a notebook', 'read_notebook')
}

const named = (name: string) => ({ notebook_name: name, notebook_path: `${name}.ipynb` })

function cell(cell_index: number, cell_source: string, cell_type?: string) {
  return { cell_index, cell_source, ...(cell_type && { cell_type }) }
}

interface NotebookFile {
  readonly cells: readonly { readonly outputs?: readonly Record<string, unknown>[] }[]
  readonly metadata: { readonly kernelspec: Record<string, unknown> }
}

/** Without the words that kernels choose for themselves. */
function describeFile({ cells, metadata, ...rest }: NotebookFile): string {
  const { display_name, ...kernelspec } = metadata.kernelspec
  const quiet = cells.map(({ outputs, ...cell }) => ({
    ...cell,
    ...(outputs && { outputs: outputs.map(({ traceback, ...output }) => output) }),
  }))
  return JSON.stringify({ ...rest, metadata: { ...metadata, kernelspec }, cells: quiet }, null, 1)
}

/** Ids are numbered as they come, so that one that changes is noticed. */
function createPlain(): (text: string) => string {
  const ids = new Map<string, string>()
  const number = (id: string) => {
    const name = ids.get(id) ?? `<id ${ids.size + 1}>`
    ids.set(id, name)
    return name
  }
  return (text) =>
    text
      .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, number)
      .replaceAll(/\b[0-9a-f]{8}\b/g, number)
      .replaceAll(/\b\d+\.\ds/g, 'N s')
      .replaceAll(/\d+B\t\S+ \S+/g, '<size>\t<date>')
      // Kernels differ in a blank, in an empty line and in how they break base64.
      .replaceAll('Cell In [', 'Cell In[')
      .replaceAll(/\n\n(\w+(?:Error|Interrupt): )/g, '\n$1')
      .replaceAll('=\\n"', '="')
}
