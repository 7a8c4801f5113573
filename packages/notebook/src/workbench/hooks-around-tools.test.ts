import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'
import { allTools } from '../tools/registry.ts'

let jupyter: Jupyter
let tools: ToolBench
let told: string[] = []
let veto: string | undefined
beforeAll(async () => {
  jupyter = await startJupyter()
  tools = await startToolClient({
    jupyter,
    registerHooks(hooks) {
      hooks.on(
        'before_tool_call',
        ({ toolName }) => {
          told.push(`before ${toolName}`)
          if (toolName === veto) throw new Error('not on Sundays')
        },
        { critical: true },
      )
      hooks.on('after_tool_call', (call) => void told.push(`after ${call.toolName} ${call.ok}`))
      hooks.on('before_execute', ({ code, notebook }) => void told.push(`run ${code} in ${notebook}`))
      hooks.on('after_execute', (call) => void told.push(`ran ${call.ok && call.status}`))
      hooks.on('kernel_lifecycle', ({ event }) => void told.push(`kernel ${event}`))
    },
  })
})
afterAll(async () => {
  await tools?.close()
  await jupyter?.stop()
})
beforeEach(() => {
  told = []
  veto = undefined
})

test.each(allTools.map(({ name }) => name))(
  '%s is told before and after, also when it fails',
  async (name) => {
    verifies('NB-CARE-7')
    await tools.call(name, { nonsense: true })
    expect(told).toEqual([`before ${name}`, `after ${name} false`])
  },
)

test('edits, moves and executions are told, in their order', async () => {
  verifies('NB-CARE-7')
  await tools.call('use_notebook', { notebook_name: 'n', notebook_path: 'n.ipynb', mode: 'create' })
  await tools.call('insert_cell', { cell_index: 0, cell_type: 'markdown', cell_source: '# a' })
  await tools.call('insert_execute_code_cell', { cell_index: -1, cell_source: '1/0' })
  await tools.call('edit_cell_source', { cell_index: 0, old_string: 'a', new_string: 'b' })
  await tools.call('move_cell', { source_index: 0, target_index: 1 })
  expect(told).toEqual([
    'before use_notebook',
    'after use_notebook true',
    'before insert_cell',
    'after insert_cell true',
    'before insert_execute_code_cell',
    'kernel started',
    'run 1/0 in n',
    'ran error',
    'after insert_execute_code_cell true',
    'before edit_cell_source',
    'after edit_cell_source true',
    'before move_cell',
    'after move_cell true',
  ])
})

test('a hook can refuse a call', async () => {
  veto = 'list_files'
  const reply = await tools.call('list_files')
  expect(reply).toMatchObject({ isError: true, structured: { error: { code: 'forbidden' } } })
  expect(reply.text).toContain('not on Sundays')
})
