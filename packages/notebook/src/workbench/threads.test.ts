import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { threadMeta, toThread } from '@quire/mcp/toolsets/thread'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveWorkbench } from '../fixtures/stand-in.ts'
import { startToolClient } from '../fixtures/tool-client.ts'

let jupyter: Jupyter
let url: string
const cleanups: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  jupyter = await startJupyter()
  cleanups.push(jupyter.stop)
  const { workbench, close } = await startToolClient({ jupyter })
  cleanups.push(close)
  const served = await serveWorkbench(workbench)
  cleanups.push(served.close)
  url = served.url
})
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

test.each(['auto', 'legacy'] as const)(
  'agents behind one client (%s) each have a current notebook of their own',
  async (mode) => {
    const client = new Client({ name: 'agents', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
    cleanups.push(() => client.close())
    async function call(thread: string, name: string, args: Record<string, unknown> = {}) {
      const _meta = threadMeta(toThread([mode, thread]))
      const { content } = await client.callTool({ name, arguments: args, _meta })
      return JSON.stringify(content)
    }
    for (const thread of ['ada', 'eve'])
      await call(thread, 'use_notebook', {
        notebook_name: `${mode}-${thread}`,
        notebook_path: `${mode}-${thread}.ipynb`,
        mode: 'create',
      })
    for (const thread of ['ada', 'eve'])
      await call(thread, 'insert_cell', {
        cell_index: 0,
        cell_type: 'code',
        cell_source: `by = "${thread}"`,
      })
    await call('eve', 'execute_cell', { cell_index: 0 })
    expect(await call('ada', 'read_notebook')).toContain('ada')
    expect(await call('eve', 'read_notebook')).not.toContain('ada')
    // Who has opened nothing works in nobody's, and may name any.
    expect(await call('new', 'read_notebook')).toContain('Give notebook_name')
    expect(await call('new', 'execute_code', { code: "'by' in globals()" })).toContain('False')
    await call('new', 'execute_code', { code: 'mine = 1' })
    expect(await call('new', 'execute_code', { code: "'mine' in globals()" })).toContain('True')
    expect(await call('newer', 'execute_code', { code: "'mine' in globals()" })).toContain('False')
    expect(await call('new', 'read_notebook', { notebook_name: `${mode}-eve` })).toContain('eve')
  },
)
