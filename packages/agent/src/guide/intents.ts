/** What the words of a request can fill, whatever the properties of a tool are called. */
export type Slot =
  | 'code'
  | 'source'
  | 'cellType'
  | 'cell'
  | 'cells'
  | 'position'
  | 'notebook'
  | 'path'
  | 'folder'
  | 'mode'
  | 'query'

export interface Intent {
  /** Tools that do it, the best first, and what each of them must be able to take. */
  readonly tools: readonly (readonly [name: string, ...takes: Slot[]])[]
  /** What to ask for when the words do not say it. */
  readonly asks?: Readonly<Partial<Record<Slot, string>>>
  readonly example: string
}

const WHICH_CELL = { cell: 'Which cell, by its number?' }

/** Those that make the best examples come first. */
export const INTENTS = Object.freeze({
  run_code: {
    tools: [
      ['execute_code', 'code'],
      ['run_code', 'code'],
      ['execute_python', 'code'],
      ['run_python', 'code'],
      ['python', 'code'],
      ['insert_execute_code_cell', 'code'],
    ],
    asks: { code: 'Which code? It may also stand in a fenced block (```).' },
    example: 'run print(1+1)',
  },
  list_notebooks: { tools: [['list_notebooks']], example: 'list notebooks' },
  list_files: { tools: [['list_files'], ['list_directory'], ['list_dir']], example: 'list files' },
  search_tools: {
    tools: [
      ['search_tools', 'query'],
      ['find_tools', 'query'],
    ],
    asks: { query: 'What should the tool do?' },
    example: 'search tools for notebook',
  },
  open_notebook: {
    tools: [
      ['use_notebook', 'path'],
      ['open_notebook', 'path'],
      ['connect_notebook', 'path'],
    ],
    asks: { path: 'Which notebook, by its path? "list files" shows what there is.' },
    example: 'open notebook folder/analysis.ipynb',
  },
  create_notebook: {
    tools: [
      ['create_notebook', 'path'],
      ['new_notebook', 'path'],
      ['use_notebook', 'path', 'mode'],
    ],
    asks: { path: 'What should the new notebook be called?' },
    example: 'create a notebook analysis.ipynb',
  },
  list_cells: { tools: [['list_cells'], ['list_cell'], ['read_notebook']], example: 'list cells' },
  read_notebook: {
    tools: [['read_notebook'], ['get_notebook'], ['list_cells']],
    example: 'read the notebook',
  },
  read_cell: {
    tools: [
      ['read_cell', 'cell'],
      ['get_cell', 'cell'],
    ],
    asks: WHICH_CELL,
    example: 'read cell 3',
  },
  add_cell: {
    tools: [
      ['insert_cell', 'source', 'cellType'],
      ['add_cell', 'source', 'cellType'],
      ['append_cell', 'source', 'cellType'],
    ],
    asks: { source: 'What should stand in the cell? It may also stand in a fenced block (```).' },
    example: 'add a markdown cell: # Results',
  },
  add_and_run_cell: {
    tools: [['insert_execute_code_cell', 'source']],
    asks: { source: 'What should stand in the cell? It may also stand in a fenced block (```).' },
    example: 'add and run a cell: x = 1',
  },
  overwrite_cell: {
    tools: [
      ['overwrite_cell_source', 'cell', 'source'],
      ['update_cell', 'cell', 'source'],
    ],
    asks: { ...WHICH_CELL, source: 'What should stand in it?' },
    example: 'set cell 3 to: x = 2',
  },
  delete_cell: {
    tools: [
      ['delete_cell', 'cells'],
      ['remove_cell', 'cells'],
    ],
    asks: { cells: 'Which cells, by their numbers?' },
    example: 'delete cell 3',
  },
  run_cell: {
    tools: [
      ['execute_cell', 'cell'],
      ['run_cell', 'cell'],
    ],
    asks: WHICH_CELL,
    example: 'run cell 3',
  },
  run_cells: { tools: [['run_cells'], ['run_all_cells'], ['execute_cells']], example: 'run all cells' },
  restart: { tools: [['restart_notebook'], ['restart_kernel']], example: 'restart the kernel' },
  interrupt: { tools: [['interrupt_kernel'], ['interrupt_notebook']], example: 'interrupt the kernel' },
  save_notebook: { tools: [['save_notebook']], example: 'save the notebook' },
  close_notebook: {
    tools: [
      ['unuse_notebook', 'notebook'],
      ['close_notebook', 'notebook'],
    ],
    asks: { notebook: 'Which notebook, by the name it is in use under?' },
    example: 'close notebook analysis',
  },
  search_notebook: {
    tools: [['search_notebook', 'query']],
    asks: { query: 'What should I look for?' },
    example: 'search the notebook for import',
  },
  list_kernels: { tools: [['list_kernels']], example: 'list kernels' },
  list_kernelspecs: { tools: [['list_kernelspecs'], ['list_kernel_specs']], example: 'list kernelspecs' },
  list_variables: { tools: [['inspect_variables'], ['list_variables']], example: 'list variables' },
}) satisfies Readonly<Record<string, Intent>>

export type IntentName = keyof typeof INTENTS
