import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jupyterApi, type KernelAnswer, kernelIds } from '../fixtures/jupyter-api.ts'
import { codeCell, markdownCell, writeNotebook } from '../fixtures/notebook-files.ts'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'

let jupyter: Jupyter
let bench: ToolBench

beforeAll(async () => {
  jupyter = await startJupyter()
  writeNotebook(jupyter.root, 'a.ipynb', [
    markdownCell('title', '# Title\n\nText'),
    codeCell('one', 'print(1)', '1\n'),
  ])
  writeNotebook(jupyter.root, 'folder/b.ipynb', [codeCell('x', 'x = 1')])
  writeNotebook(jupyter.root, 'empty.ipynb', [])
  writeNotebook(
    jupyter.root,
    'long.ipynb',
    Array.from({ length: 30 }, (_, index) => codeCell(`c${index}`, `value_${index} = ${index}`)),
  )
})

afterAll(async () => {
  await jupyter?.stop()
})

beforeEach(async () => {
  bench = await startToolClient({ jupyter })
})

afterEach(async () => {
  await bench.close()
})

const use = (notebook_name: string, notebook_path: string, more: object = {}) =>
  bench.call('use_notebook', { notebook_name, notebook_path, ...more })

describe('unuse_notebook', () => {
  test('shuts down a kernel that was started for it', async () => {
    verifies('NB-TOOL-6', 'NB-CARE-4', 'NB-TOOL-31')
    const { structured } = await use('a', 'a.ipynb', { kernel_id: 'NEW', kernel_name: 'python3' })
    expect(await kernelIds(jupyter)).toEqual([structured.kernel_id])
    const reply = await bench.call('unuse_notebook', { notebook_name: 'a' })
    expect(reply.text).toContain('unused successfully')
    expect(reply.text).toContain('was shut down')
    expect(reply.text).toContain('No notebooks remaining.')
    expect(reply.structured).toMatchObject({ kernel_shut_down: true, current: null })
    expect(await kernelIds(jupyter)).toEqual([])
  })

  test('leaves the kernel of somebody else running', async () => {
    verifies('NB-CARE-4')
    const theirs = await jupyterApi<KernelAnswer>(jupyter, 'POST', 'kernels', { name: 'python3' })
    try {
      await use('a', 'a.ipynb', { kernel_id: theirs.id })
      const reply = await bench.call('unuse_notebook', { notebook_name: 'a' })
      expect(reply.text).toContain('was left running')
      expect(reply.structured).toMatchObject({ kernel_id: theirs.id, kernel_shut_down: false })
      expect(await kernelIds(jupyter)).toContain(theirs.id)
    } finally {
      await jupyterApi(jupyter, 'DELETE', `kernels/${theirs.id}`)
    }
  })

  test('is refused to a caller who may not touch the kernel that it would end', async () => {
    const scopes = new Set(['notebooks:read', 'notebooks:write'])
    const server = await bench.workbench.createServer({
      era: 'legacy',
      principal: { subject: 'tester', scopes },
    })
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await server.connect(theirs)
    const client = new Client({ name: 'official', version: '1' })
    await client.connect(ours)
    const unuse = (notebook_name: string) =>
      client.callTool({ name: 'unuse_notebook', arguments: { notebook_name } })
    try {
      const { structured } = await use('a', 'a.ipynb', { kernel_id: 'NEW' })
      await use('b', 'folder/b.ipynb')
      const refused = await unuse('a')
      expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'forbidden' } } })
      expect(JSON.stringify(refused.content)).toContain('code:execute')
      expect(await kernelIds(jupyter)).toEqual([structured.kernel_id])
      expect((await unuse('b')).isError ?? false).toBe(false)
      const { notebooks } = (await bench.call('list_notebooks')).structured
      expect(notebooks).toMatchObject([{ name: 'a', kernel_status: 'alive' }])
    } finally {
      await client.close()
    }
  })

  test('goes on with another notebook', async () => {
    await use('a', 'a.ipynb')
    await use('b', 'folder/b.ipynb')
    await use('c', 'long.ipynb')
    const other = await bench.call('unuse_notebook', { notebook_name: 'b' })
    expect(other.text).not.toContain('Current notebook')
    const reply = await bench.call('unuse_notebook', { notebook_name: 'c' })
    expect(reply.text).toContain("Current notebook switched to 'a'.")
    const unknown = await bench.call('unuse_notebook', { notebook_name: 'c' })
    expect(unknown.isError).toBe(true)
    expect(unknown.text).toContain('is not connected')
  })
})

describe('list_notebooks', () => {
  test('lists what is in use, with kernels, and marks the current one', async () => {
    verifies('NB-TOOL-4', 'NB-TOOL-31')
    expect((await bench.call('list_notebooks')).text).toContain('No managed notebooks')
    await use('b', 'folder/b.ipynb', { kernel_id: 'NEW' })
    await use('a', 'a.ipynb')
    const reply = await bench.call('list_notebooks')
    const kernel = (await kernelIds(jupyter))[0]
    expect(reply.text.split('\n')).toEqual([
      'Name\tPath\tKernel_ID\tKernel_Status\tActivate',
      'a\ta.ipynb\t-\tnot_initialized\t✓',
      `b\tfolder/b.ipynb\t${kernel}\talive\t`,
    ])
    await jupyterApi(jupyter, 'DELETE', `kernels/${kernel}`)
    const later = await bench.call('list_notebooks')
    expect(later.structured).toMatchObject({
      notebooks: [
        { name: 'a', current: true },
        { name: 'b', kernel_status: 'dead', current: false },
      ],
    })
  })
})

describe('read_notebook', () => {
  test('is brief by default, with counts and ids', async () => {
    verifies('NB-TOOL-7', 'NB-TOOL-31')
    await use('a', 'a.ipynb')
    const reply = await bench.call('read_notebook', { notebook_name: 'a' })
    expect(reply.text).toBe(
      'Notebook a has 2 cells.\n\nIndex\tType\tCount\tFirst Line\tId\n0\tmarkdown\tN/A\t# Title...(2 lines hidden)\ttitle\n1\tcode\t7\tprint(1)\tone',
    )
  })

  test('is detailed when told so, with outputs only on demand', async () => {
    verifies('NB-TOOL-7')
    await use('a', 'a.ipynb')
    const reply = await bench.call('read_notebook', { response_format: 'detailed' })
    expect(reply.text).toBe(
      'Notebook a has 2 cells.\n\n=====Cell 0 | type: markdown | execution count: N/A=====\n# Title\n\nText\n\n=====Cell 1 | type: code | execution count: 7=====\nprint(1)\n',
    )
    const whole = await bench.call('read_notebook', { response_format: 'detailed', include_outputs: true })
    expect(whole.text).toContain('print(1)\n-----Outputs-----\n1\n')
    expect(whole.structured).toMatchObject({
      cells: [{ id: 'title' }, { source: 'print(1)', outputs: [{ type: 'text' }] }],
    })
  })

  test('goes page by page', async () => {
    verifies('NB-TOOL-7')
    await use('long', 'long.ipynb')
    const page = await bench.call('read_notebook', { start_index: 28, limit: 5 })
    expect(page.structured.cells).toMatchObject([
      { index: 28, id: 'c28' },
      { index: 29, id: 'c29' },
    ])
    expect(page.structured.next_start_index).toBeNull()
    expect(page.text).not.toContain('more cells follow')
    const all = await bench.call('read_notebook', { limit: 0 })
    expect(all.structured).toMatchObject({ cells: { length: 30 }, next_start_index: null })
    const beyond = await bench.call('read_notebook', { start_index: 30 })
    expect(beyond.isError).toBe(true)
    expect(beyond.text).toContain('is out of range')
  })

  test.each(['brief', 'detailed'])('says that more cells follow: %s', async (response_format) => {
    verifies('NB-TOOL-7')
    await use('long', 'long.ipynb')
    const first = await bench.call('read_notebook', { response_format, limit: 4 })
    expect(first.text).toMatch(/\n\n\[26 more cells follow: read on with start_index 4\.\]$/)
    expect(first.structured).toMatchObject({ cells: { length: 4 }, next_start_index: 4 })
    const next = await bench.call('read_notebook', { response_format, limit: 26, start_index: 4 })
    expect(next.text).not.toContain('more cells follow')
    expect(next.structured).toMatchObject({ cells: { length: 26 }, next_start_index: null })
  })

  test('says that a notebook is empty', async () => {
    await use('empty', 'empty.ipynb')
    const reply = await bench.call('read_notebook', { response_format: 'detailed' })
    expect(reply).toMatchObject({ isError: false, text: 'Notebook empty has 0 cells.\n\nNotebook is empty' })
  })

  test('is cut visibly where a reply has no more room', async () => {
    const small = await startToolClient({ jupyter, config: { maxOutputBytes: 400 } })
    try {
      await small.call('use_notebook', { notebook_name: 'long', notebook_path: 'long.ipynb' })
      const reply = await small.call('read_notebook', { response_format: 'detailed' })
      const next = reply.structured.next_start_index
      expect(next).toBeGreaterThan(0)
      expect(reply.text).toContain(`Read on with start_index ${next}.`)
      expect(reply.structured.cells).toHaveLength(Number(next))
    } finally {
      await small.close()
    }
  })
})

describe('read_cell', () => {
  test('returns header, source and outputs, in this order', async () => {
    verifies('NB-TOOL-13', 'NB-TOOL-31')
    await use('a', 'a.ipynb')
    const reply = await bench.call('read_cell', { cell_index: 1 })
    expect(reply.content).toMatchObject([
      { type: 'text', text: '=====Cell 1 | type: code | execution count: 7=====' },
      { type: 'text', text: 'print(1)' },
      { type: 'text', text: expect.stringMatching(/^1\n?$/) },
    ])
    expect(reply.structured).toMatchObject({
      cell: { index: 1, id: 'one' },
      source: 'print(1)',
      truncated: false,
    })
    const bare = await bench.call('read_cell', { cell_id: 'one', include_outputs: false })
    expect(bare.content).toHaveLength(2)
  })

  test('cuts what is too long, and says where the whole is', async () => {
    verifies('NB-EXEC-7')
    writeNotebook(jupyter.root, 'flood.ipynb', [codeCell('flood', '#'.repeat(3000), 'x'.repeat(5000))])
    const small = await startToolClient({ jupyter, config: { maxOutputBytes: 1000 } })
    try {
      await small.call('use_notebook', { notebook_name: 'f', notebook_path: 'flood.ipynb' })
      const reply = await small.call('read_cell', { cell_index: 0 })
      expect(Buffer.byteLength(reply.text)).toBeLessThan(2000)
      expect(reply.text).toContain('whole source: notebook://f/cells/flood]')
      expect(reply.text).toMatch(/bytes cut; whole output: notebook:\/\/f\/cells\/flood\/outputs\/0\]/)
      expect(reply.content.at(-1)).toMatchObject({
        type: 'resource_link',
        uri: 'notebook://f/cells/flood/outputs/0',
      })
      const whole = await small.client.readResource({ uri: 'notebook://f/cells/flood/outputs/0' })
      expect(whole.contents).toMatchObject([{ mimeType: 'text/plain', text: 'x'.repeat(5000) }])
    } finally {
      await small.close()
    }
  })

  test.each([
    [{ cell_index: 2 }, 'out of range'],
    [{ cell_id: 'nobody' }, 'nobody'],
    [{ cell_id: 'nobody', cell_index: 1 }, 'nobody'],
    [{}, 'cell_index or cell_id'],
    [{ cell_index: 0, notebook_name: 'other' }, 'is not connected'],
  ])('refuses %j', async (which, marker) => {
    verifies('NB-REPLY-1')
    await use('a', 'a.ipynb')
    const reply = await bench.call('read_cell', which)
    expect(reply.isError).toBe(true)
    expect(reply.text).toContain(marker)
  })
})
