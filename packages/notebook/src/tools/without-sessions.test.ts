import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeCell, writeNotebook } from '../fixtures/notebook-files.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createHooks } from '../hooks/hooks.ts'
import { createKeptOutputs } from '../outputs/kept-outputs.ts'
import { createPathFence } from '../path-fence.ts'
import { createServers } from '../workbench/create-servers.ts'
import { createToolBox } from '../workbench/tool-box.ts'
import { createView } from '../workspace/view.ts'
import { createWorkspace } from '../workspace/workspace.ts'
import { allTools } from './registry.ts'
import type { ToolContext } from './tool-context.ts'

let jupyter: Jupyter
let context: ToolContext

const logger = createSilentLogger()
const toolBox = createToolBox(allTools, logger)
const workspace = createWorkspace('somebody')

beforeAll(async () => {
  jupyter = await startJupyter()
  for (const path of ['a.ipynb', 'b.ipynb', 'c.ipynb'])
    writeNotebook(jupyter.root, path, [codeCell('x', path)])
  const target = { url: jupyter.url, token: jupyter.token }
  const targets = { document: target, sandbox: target }
  context = {
    config: {
      version: '0',
      targets,
      executionTimeoutSeconds: 120,
      maxExecutionTimeoutSeconds: 3600,
      maxOutputBytes: 65_536,
      images: true,
      readOnly: false,
      allowedPaths: [],
      recordCode: false,
    },
    servers: createServers(targets, { logger }),
    view: createView(() => workspace, false),
    fence: createPathFence([]),
    hooks: createHooks(logger),
    keptOutputs: createKeptOutputs(),
    logger,
    signal: AbortSignal.timeout(60_000),
    progress: () => undefined,
    mayExecute: true,
    connect: async () => undefined,
  }
})

afterAll(async () => {
  await workspace.clear()
  await context?.servers.close()
  await jupyter?.stop()
})

async function call(name: string, args: Record<string, unknown>) {
  const { content, structuredContent, isError = false } = await toolBox.call(name, args, context)
  const [block] = content
  return { text: block?.type === 'text' ? block.text : '', structured: structuredContent, isError }
}

const use = (name: string) => call('use_notebook', { notebook_name: name, notebook_path: `${name}.ipynb` })

test('no notebook is current once there are several, and replies say so', async () => {
  expect((await use('a')).structured).toMatchObject({ current: 'a' })
  expect((await use('b')).structured).toMatchObject({ current: null })
  const again = await use('a')
  expect(again.text).toContain("Notebook 'a' is already connected.")
  expect(again.text).not.toContain('Reactivating')

  const unclear = await call('read_cell', { cell_index: 0 })
  expect(unclear.isError).toBe(true)
  expect(unclear.text).toContain("'a', 'b'")
  expect((await call('read_cell', { cell_index: 0, notebook_name: 'b' })).isError).toBe(false)

  await use('c')
  const gone = await call('unuse_notebook', { notebook_name: 'c' })
  expect(gone.text).not.toContain('Current notebook switched')
  expect(gone.structured).toMatchObject({ current: null })
  const left = await call('unuse_notebook', { notebook_name: 'b' })
  expect(left.structured).toMatchObject({ current: 'a' })
  const last = await call('unuse_notebook', { notebook_name: 'a' })
  expect(last.text).toContain('No notebooks remaining.')
})
