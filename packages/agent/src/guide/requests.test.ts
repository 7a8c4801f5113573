import { describe, expect, test } from 'vitest'
import type { FinishReason } from '../model/model.ts'
import { ask, NOTEBOOK_TOOLS, prefixed, toolOf } from './fixtures/ask.ts'

const PRINT = { code: 'print(1+1)' }

describe('what people say leads to the tool that does it', () => {
  test.each<readonly [said: string, tool: string, args: object]>([
    ['run print(1+1)', 'execute_code', PRINT],
    ['RUN print(1+1)', 'execute_code', PRINT],
    ['execute: print(1+1)', 'execute_code', PRINT],
    ['Please run `print(1+1)`.', 'execute_code', PRINT],
    ['could you please execute the code print(1+1)', 'execute_code', PRINT],
    ['evaluate x', 'execute_code', { code: 'x' }],
    ['run the_model()', 'execute_code', { code: 'the_model()' }],
    ['run cell_count()', 'execute_code', { code: 'cell_count()' }],
    ['run x = 1\nprint(x)', 'execute_code', { code: 'x = 1\nprint(x)' }],
    [
      'run:\nfor i in range(3):\n    print(i)\n\nprint(9)',
      'execute_code',
      { code: 'for i in range(3):\n    print(i)\n\nprint(9)' },
    ],
    ['run\nrun = start()\nrun.stop()', 'execute_code', { code: 'run = start()\nrun.stop()' }],
    ['run def f():\n    run x', 'execute_code', { code: 'def f():\n    run x' }],
    ['run print("first then run it")', 'execute_code', { code: 'print("first then run it")' }],
    ["run print('a, then list files')", 'execute_code', { code: "print('a, then list files')" }],
    ['run if x then y', 'execute_code', { code: 'if x then y' }],
    ['```python\nprint(1+1)\n```', 'execute_code', PRINT],
    ['```\nprint(1+1)\n```', 'execute_code', PRINT],
    ['~~~\nprint(1+1)\n~~~', 'execute_code', PRINT],
    ['run this:\n\n```py\nprint(1+1)\n```', 'execute_code', PRINT],
    ['Run the code below\n```\nprint(1+1)\n```\nThank you!', 'execute_code', PRINT],
    ['Hello! Could you look at this?\n```\nprint(1+1)\n```', 'execute_code', PRINT],
    ['````\n```\n````', 'execute_code', { code: '```' }],
    ['```\nlist notebooks\n```', 'execute_code', { code: 'list notebooks' }],
    ['list notebooks', 'list_notebooks', {}],
    ['List the notebooks, please!', 'list_notebooks', {}],
    ['which notebooks are open?', 'list_notebooks', {}],
    ['list files', 'list_files', {}],
    ['show me all files in data/raw', 'list_files', { path: 'data/raw' }],
    ['list cells', 'read_notebook', {}],
    ['list the cells of sales', 'read_notebook', { notebook_name: 'sales' }],
    ['list kernels', 'list_kernels', {}],
    ['list kernel specs', 'list_kernelspecs', {}],
    ['what are the variables?', 'inspect_variables', {}],
    ['read cell 3', 'read_cell', { cell_index: 3 }],
    ['Show cell #3!', 'read_cell', { cell_index: 3 }],
    ["what's in cell 0", 'read_cell', { cell_index: 0 }],
    ['read cell 3 of data/sales.ipynb', 'read_cell', { cell_index: 3, notebook_name: 'sales' }],
    ['read the notebook', 'read_notebook', {}],
    ['read the notebook "my sales"', 'read_notebook', { notebook_name: 'my sales' }],
    [
      'open notebook data/sales.ipynb',
      'use_notebook',
      { notebook_path: 'data/sales.ipynb', notebook_name: 'sales', mode: 'connect' },
    ],
    [
      'use notebook sales as s',
      'use_notebook',
      { notebook_path: 'sales.ipynb', notebook_name: 's', mode: 'connect' },
    ],
    ['open a.ipynb', 'use_notebook', { notebook_path: 'a.ipynb', notebook_name: 'a', mode: 'connect' }],
    [
      'create a new notebook called plans',
      'use_notebook',
      { notebook_path: 'plans.ipynb', notebook_name: 'plans', mode: 'create' },
    ],
    ['add a cell: x = 1', 'insert_cell', { cell_type: 'code', cell_source: 'x = 1' }],
    ['add a markdown cell: # Results', 'insert_cell', { cell_type: 'markdown', cell_source: '# Results' }],
    [
      'insert a code cell at 2: x = 1',
      'insert_cell',
      { cell_type: 'code', cell_source: 'x = 1', cell_index: 2 },
    ],
    [
      'add a markdown cell:\n# Plan\n- hello\n- help',
      'insert_cell',
      { cell_type: 'markdown', cell_source: '# Plan\n- hello\n- help' },
    ],
    ['add a cell\n```\nx = 1\n```', 'insert_cell', { cell_type: 'code', cell_source: 'x = 1' }],
    ['add and run a cell: x', 'insert_execute_code_cell', { cell_source: 'x' }],
    ['set cell 3 to: x = 2', 'overwrite_cell_source', { cell_index: 3, cell_source: 'x = 2' }],
    ['delete cell 3', 'delete_cell', { cell_indices: [3] }],
    ['delete cells 2, 3 and 5', 'delete_cell', { cell_indices: [2, 3, 5] }],
    ['remove cells 2-4 of sales', 'delete_cell', { cell_indices: [2, 3, 4], notebook_name: 'sales' }],
    ['run cell 3', 'execute_cell', { cell_index: 3 }],
    ['run all cells', 'run_cells', {}],
    ['run cells 1 to 3', 'run_cells', { cell_indices: [1, 2, 3] }],
    ['restart the kernel', 'restart_notebook', {}],
    ['restart the notebook sales', 'restart_notebook', { notebook_name: 'sales' }],
    ['interrupt the kernel', 'interrupt_kernel', {}],
    ['save the notebook', 'save_notebook', {}],
    ['close notebook sales', 'unuse_notebook', { notebook_name: 'sales' }],
    ['search the notebook for import', 'search_notebook', { pattern: 'import' }],
    ['call read_cell with {"cell_index": 1}', 'read_cell', { cell_index: 1 }],
    ['use tool read_cell {"cell_index": 1}', 'read_cell', { cell_index: 1 }],
    ['call the tool `list_kernels`', 'list_kernels', {}],
    ['call read_cell with\n```json\n{"cell_index": 1}\n```', 'read_cell', { cell_index: 1 }],
    ['call read_cell with {\n  "cell_index": 1\n}', 'read_cell', { cell_index: 1 }],
    ['Hi!\nlist notebooks\nThanks', 'list_notebooks', {}],
  ])('%j', async (said, tool, args) => {
    const { call, text, events } = await ask(said)
    expect({ tool: call?.name, args: call?.args, text }).toMatchObject({ tool, args })
    expect(call?.args).toEqual(args)
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool_calls' })
  })
})

describe('what needs no tool is answered in words', () => {
  test.each<readonly [said: string, expected: readonly RegExp[]]>([
    ['what can you do?', [/no language model/, /`execute_code`/, /`model`.*OPENAI_API_KEY.*Ollama/]],
    ['help', [/built-in guide/, /- and 9 more/]],
    ['Hello there!', [/built-in guide/]],
    ['', [/built-in guide/]],
    ['what tools do you have?', [/29 of 29 tools/, /`merge_cells`: Merges neighbouring cells/]],
    ['search tools for kernel restart', [/2 of 29 tools/, /`restart_notebook`/]],
    ['search tools for bananas', [/No tool fits/]],
    ['describe tool read_cell', [/`cell_index`: Index of the cell/]],
  ])('%j', async (said, expected) => {
    await expectWords(said, expected, 'stop')
  })
})

describe('what cannot be done is answered in words, and the answer ends as one that did nothing', () => {
  test.each<readonly [said: string, expected: readonly RegExp[]]>([
    ['run', [/Which code\?.*"run print\(1\+1\)"/]],
    ['run this:\n```\n\n```', [/Which code\?/]],
    ['add a cell:', [/What should stand in the cell\?/]],
    ['delete cell', [/Which cells.*"delete cell 3"/]],
    ['open notebook', [/Which notebook, by its path\?/]],
    ['run kernel', [/I do not understand/]],
    ['read cell 3 and multiply it', [/I do not understand/]],
    ['delete cells 4-2', [/I do not understand/]],
    [
      'delete cell three\n```\nf()\n```',
      [/Step 1: I do not understand "delete cell three"/, /Nothing has been done/],
    ],
    ['add a cell\n```\nx\n```\nthen run it', [/Step 2: Which code\?/, /Nothing has been done/]],
    [
      'frobnicate the sandwich',
      [/I do not understand "frobnicate the sandwich"/, /- run print\(1\+1\)\n- .+\n- /],
    ],
    ['use tool list_files {"depth": 1}', [/no argument "depth"/, /`max_depth`/]],
    ['call execute_code', [/also needs "code" \(The code to execute/]],
    ['call read_cel', [/There is no tool "read_cel".*`read_cell`/]],
    ['call read_cell with cell 3', [/no JSON object/]],
    ['call read_cell with {"cell_index": }', [/no JSON/]],
    ['list notebooks\nfrobnicate', [/Step 2: I do not understand "frobnicate"/, /Nothing has been done/]],
  ])('%j', async (said, expected) => {
    await expectWords(said, expected, 'unable')
  })
})

async function expectWords(said: string, expected: readonly RegExp[], reason: FinishReason): Promise<void> {
  const { call, text, events } = await ask(said)
  expect(call).toBeUndefined()
  for (const pattern of expected) expect(text).toMatch(pattern)
  expect(text).toMatch(/no language model\.\)$/)
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason })
}

describe('tools are found by meaning', () => {
  test.each(['jupyter_', 'jupyter__', 'composer__notebook__', 'notebook:'])(
    'behind the prefix %s',
    async (prefix) => {
      const tools = prefixed(prefix)
      expect((await ask('open notebook a.ipynb', tools)).call?.name).toBe(`${prefix}use_notebook`)
      expect((await ask('run 1', tools)).call?.name).toBe(`${prefix}execute_code`)
      expect((await ask('call read_cell with {"cell_index": 1}', tools)).call?.name).toBe(
        `${prefix}read_cell`,
      )
    },
  )

  test('the next best where the best is missing, with what its schema takes', async () => {
    const tools = [toolOf('insertExecuteCodeCell', { source: { type: 'string' } }, ['source'])]
    expect((await ask('run 1', tools)).call).toMatchObject({
      name: 'insertExecuteCodeCell',
      args: { source: '1' },
    })
  })

  test('a number goes as the type that is wanted', async () => {
    const readCell = (schema: { type: string }) => [toolOf('read_cell', { cell_index: schema })]
    expect((await ask('read cell 3', readCell({ type: 'string' }))).call?.args).toEqual({ cell_index: '3' })
    expect((await ask('read cell 3', readCell({ type: 'array' }))).call?.args).toEqual({ cell_index: [3] })
    expect((await ask('read cell 3', readCell({ type: 'boolean' }))).text).toContain(
      'does not take what that needs',
    )
  })

  test('a notebook is created only by a tool that can', async () => {
    const connectOnly = { mode: { enum: ['connect'] }, notebook_path: { type: 'string' } }
    const { call, text } = await ask('create a notebook x', [toolOf('use_notebook', connectOnly)])
    expect(call).toBeUndefined()
    expect(text).toContain('does not take what that needs')
  })

  test('what else a tool needs is asked for', async () => {
    const tools = [
      toolOf('execute_code', { code: {}, language: { description: 'Of the code.' } }, ['code', 'language']),
    ]
    expect((await ask('run 1', tools)).text).toContain('`execute_code` also needs "language" (Of the code.)')
  })

  test('a name that fits two tools is asked about', async () => {
    const { call, text } = await ask('call list_files', [...prefixed('a_'), ...prefixed('b_')])
    expect(call).toBeUndefined()
    expect(text).toContain('may be any of `a_list_files`, `b_list_files`')
  })

  test('behind a gateway, whatever is not listed is called through it', async () => {
    const query = { query: { type: 'string' } }
    const tools = [toolOf('search_tools', query, ['query']), toolOf('describe_tool'), toolOf('call_tool')]
    expect((await ask('search tools for plots', tools)).call).toMatchObject({
      name: 'search_tools',
      args: { query: 'plots' },
    })
    expect((await ask('describe tool charts:draw', tools)).call).toMatchObject({
      name: 'describe_tool',
      args: { name: 'charts:draw' },
    })
    expect((await ask('call charts:draw with {"kind": "bar"}', tools)).call).toMatchObject({
      name: 'call_tool',
      args: { name: 'charts:draw', arguments: { kind: 'bar' } },
    })
  })

  test('without tools it says how to get some', async () => {
    expect((await ask('run 1', [])).text).toContain('it would take one such as `execute_code`')
    expect((await ask('help', [])).text).toContain('`mcp_toolsets`')
  })

  test('examples fit the tools at hand, and help names at most twenty', async () => {
    const { text } = await ask('do the dishes', [toolOf('weather', { city: {} }, ['city'])])
    expect(text).toContain('- call weather with {"city":"…"}\n- list tools\n- help')
    const many = Array.from({ length: 60 }, (_, index) => toolOf(`thing_${index}`))
    const help = (await ask('help', [...many, ...NOTEBOOK_TOOLS])).text
    expect(help.match(/`[a-z]+_\w+`/g)?.length).toBeLessThanOrEqual(20)
    expect(help).toContain('`use_notebook`')
  })
})
