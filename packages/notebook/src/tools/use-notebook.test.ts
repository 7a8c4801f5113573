import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jupyterApi, type KernelAnswer, kernelIds } from '../fixtures/jupyter-api.ts'
import { codeCell, markdownCell, readNotebookFile, writeNotebook } from '../fixtures/notebook-files.ts'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'
import { nbformatFault } from './shared/execution-bench.fixture.ts'

let jupyter: Jupyter
let bench: ToolBench

beforeAll(async () => {
  jupyter = await startJupyter()
  writeNotebook(jupyter.root, 'a.ipynb', [
    markdownCell('title', '# Title\n\nText'),
    codeCell('one', 'print(1)', '1\n'),
  ])
  writeNotebook(jupyter.root, 'folder/b.ipynb', [codeCell('x', 'x = 1')])
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

describe('use_notebook', () => {
  test('opens a notebook and shows its first cells', async () => {
    verifies('NB-TOOL-3', 'NB-TOOL-31')
    const reply = await use('first', 'a.ipynb')
    expect(reply.isError).toBe(false)
    expect(reply.text).toContain("Successfully activate notebook 'first'")
    expect(reply.text).toContain(
      'Notebook has 2 cells.\nShowing first 2 cells:\nIndex\tType\tCount\tFirst Line',
    )
    expect(reply.text).toContain('0\tmarkdown\tN/A\t# Title...(2 lines hidden)')
    expect(reply.text).toMatch(/\[INFO\].*first execution/)
    expect(reply.structured).toMatchObject({
      notebook_name: 'first',
      path: 'a.ipynb',
      created: false,
      kernel_id: null,
      current: 'first',
      cell_count: 2,
      cells: [
        { index: 0, id: 'title' },
        { index: 1, id: 'one', first_line: 'print(1)' },
      ],
    })
    expect(await kernelIds(jupyter)).toEqual([])
  })

  test('shows no more than twenty cells', async () => {
    const reply = await use('long', 'long.ipynb')
    expect(reply.text).toContain('Notebook has 30 cells.\nShowing first 20 cells:')
    expect(reply.text).not.toContain('value_20')
  })

  test('creates a notebook that Jupyter accepts, and never overwrites one', async () => {
    verifies('NB-TOOL-3')
    const created = await use('new', 'folder/new.ipynb', { mode: 'create' })
    expect(created.isError).toBe(false)
    expect(created.structured).toMatchObject({ created: true, cell_count: 0 })
    expect(created.text).toContain('Notebook is empty')
    expect(await nbformatFault(jupyter.root, 'folder/new.ipynb')).toBe('')
    const file = readNotebookFile(jupyter.root, 'folder/new.ipynb')
    expect(file).toMatchObject({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: { kernelspec: { name: 'python3' } },
    })

    const before = readFileSync(join(jupyter.root, 'a.ipynb'))
    const refused = await use('again', 'a.ipynb', { mode: 'create' })
    expect(refused.isError).toBe(true)
    expect(refused.text).toContain('already exists')
    expect(readFileSync(join(jupyter.root, 'a.ipynb')).equals(before)).toBe(true)
  })

  test.each([
    ['missing.ipynb', {}, 'was not found on the notebook server. Paths are relative to its root folder.'],
    ['nowhere/x.ipynb', {}, 'not found'],
    ['nowhere/x.ipynb', { mode: 'create' }, "'nowhere' was not found"],
    ['a.ipynb/x.ipynb', { mode: 'create' }, 'not'],
    ['a.txt', {}, 'must end in .ipynb'],
    ['.ipynb', {}, 'must end in .ipynb'],
    ['../a.ipynb', {}, '..'],
    ['a.ipynb', { kernel_id: 'no-such-kernel' }, 'list_kernels'],
    ['created-for-nothing.ipynb', { mode: 'create', kernel_id: 'no-such-kernel' }, 'list_kernels'],
    ['created-for-nothing.ipynb', { mode: 'create', kernel_name: 'cobol' }, 'python3'],
    ['a.ipynb', { kernel_name: 'python3', kernel_id: 'x' }, 'Both'],
  ])('refuses %s with %j', async (path, more, marker) => {
    verifies('NB-REPLY-1', 'NB-TOOL-31')
    const reply = await use('x', path, more)
    expect(reply.isError).toBe(true)
    expect(reply.text).toContain(marker)
    expect((await bench.call('list_notebooks')).text).toContain('No managed notebooks')
    const entries = await jupyterApi<{ content: { name: string }[] }>(jupyter, 'GET', 'contents/')
    expect(entries.content.map(({ name }) => name)).not.toContain('created-for-nothing.ipynb')
  })

  test('holds a name to its path', async () => {
    await use('n', 'a.ipynb')
    const elsewhere = await use('n', 'folder/b.ipynb')
    expect(elsewhere.isError).toBe(true)
    expect(elsewhere.text).toContain("Did you mean 'a.ipynb'")
    const again = await use('n', 'a.ipynb', { mode: 'create' })
    expect(again.isError).toBe(true)
    expect(again.text).toContain('Do not create it again')
    const other = await use('n', 'other.ipynb', { mode: 'create' })
    expect(other.isError).toBe(true)
    expect(other.text).toContain('already used')
  })

  test('makes the notebook current, and goes back to one', async () => {
    verifies('NB-TOOL-3')
    await use('a', 'a.ipynb')
    await use('b', 'folder/b.ipynb')
    expect((await bench.call('read_notebook')).text).toContain('Notebook b has')
    const back = await use('a', 'a.ipynb')
    expect(back.text).toContain("Reactivating notebook 'a' and deactivating 'b'.")
    expect((await bench.call('read_notebook')).text).toContain('Notebook a has')
    expect((await use('a', 'a.ipynb')).text).toContain('is already connected')
  })

  test('opens one file under two names, which share its kernel', async () => {
    const first = await use('one', 'a.ipynb', { kernel_id: 'NEW' })
    const second = await use('two', 'a.ipynb')
    expect(first.structured.kernel_id).toBeTypeOf('string')
    expect(second.structured.kernel_id).toBe(first.structured.kernel_id)
  })

  test('called twice at once opens one notebook with one kernel', async () => {
    const replies = await Promise.all([
      use('twice', 'a.ipynb', { kernel_id: 'NEW' }),
      use('twice', 'a.ipynb', { kernel_id: 'NEW' }),
    ])
    expect(replies.map(({ isError, text }) => (isError ? text : 'fine'))).toEqual(['fine', 'fine'])
    const [first, second] = replies.map(({ structured }) => structured.kernel_id)
    expect(first).toBe(second)
    expect(await kernelIds(jupyter)).toEqual([first])
    expect((await bench.call('list_notebooks')).structured.notebooks).toHaveLength(1)
  })

  test('says that a kernel is gone, and starts another one when told so', async () => {
    const { structured } = await use('a', 'a.ipynb', { kernel_id: 'NEW' })
    await jupyterApi(jupyter, 'DELETE', `kernels/${structured.kernel_id}`)
    const again = await use('a', 'a.ipynb')
    expect(again.text).toContain(`Kernel '${structured.kernel_id}' is gone`)
    const fresh = await use('a', 'a.ipynb', { kernel_id: 'NEW' })
    expect(fresh.isError).toBe(false)
    expect(fresh.structured.kernel_id).not.toBe(structured.kernel_id)
    expect(await kernelIds(jupyter)).toEqual([fresh.structured.kernel_id])
  })

  test('adopts the kernel that the notebook has in Jupyter', async () => {
    const session = await jupyterApi<{ id: string; kernel: KernelAnswer }>(jupyter, 'POST', 'sessions', {
      path: 'a.ipynb',
      name: 'a.ipynb',
      type: 'notebook',
      kernel: { name: 'python3' },
    })
    const reply = await use('a', 'a.ipynb', { kernel_id: 'NEW' })
    expect(reply.text).toContain(`[INFO] Connected to kernel '${session.kernel.id}'.`)
    expect(reply.text).toContain('no new one was started')
    await jupyterApi(jupyter, 'DELETE', `sessions/${session.id}`)
  })

  test('attaches the kernel it is told to', async () => {
    verifies('NB-CARE-1')
    const theirs = await jupyterApi<KernelAnswer>(jupyter, 'POST', 'kernels', { name: 'python3' })
    try {
      const reply = await use('a', 'a.ipynb', { kernel_id: theirs.id })
      expect(reply.text).toContain(`[INFO] Connected to kernel '${theirs.id}'.`)
      await bench.call('execute_code', { code: 'seen_by_tools = 41 + 1' })
      await bench.call('use_notebook', {
        notebook_name: 'b',
        notebook_path: 'folder/b.ipynb',
        kernel_id: theirs.id,
      })
      const read = await bench.call('execute_code', { code: 'print(seen_by_tools)', notebook_name: 'b' })
      expect(read.text).toContain('42')
    } finally {
      await jupyterApi(jupyter, 'DELETE', `kernels/${theirs.id}`)
    }
  })

  test('says that it shuts the kernel down which it had started for the notebook', async () => {
    const ours = await use('a', 'a.ipynb', { kernel_id: 'NEW' })
    const theirs = await jupyterApi<KernelAnswer>(jupyter, 'POST', 'kernels', { name: 'python3' })
    try {
      const reply = await use('a', 'a.ipynb', { kernel_id: theirs.id })
      expect(reply.text).toContain(`[INFO] Connected to kernel '${theirs.id}'.`)
      expect(reply.text).toContain(`[INFO] Kernel '${ours.structured.kernel_id}', which was started for this`)
      expect(reply.text).toContain('was shut down: its variables are gone.')
      expect(await kernelIds(jupyter)).toEqual([theirs.id])
    } finally {
      await jupyterApi(jupyter, 'DELETE', `kernels/${theirs.id}`)
    }
  })

  test('in a session a call without a name never means what another session has opened', async () => {
    verifies('NB-REPLY-4')
    const other = await bench.connect()
    await use('a', 'a.ipynb')
    const refused = await other.call('read_notebook')
    expect(refused).toMatchObject({ isError: true, structured: { error: { code: 'invalid_argument' } } })
    expect(refused.text).toMatch(/^Which notebook is meant\? Give notebook_name\. .*'a'/)
    expect((await other.call('read_notebook', { notebook_name: 'a' })).isError).toBe(false)
    await other.call('use_notebook', { notebook_name: 'b', notebook_path: 'folder/b.ipynb' })
    expect((await other.call('read_notebook')).structured).toMatchObject({ notebook_name: 'b' })
    const closed = await other.call('unuse_notebook', { notebook_name: 'b' })
    expect(closed.structured).toMatchObject({ current: null })
    expect((await other.call('read_notebook')).text).toContain('Give notebook_name')
    expect((await bench.call('read_notebook')).structured).toMatchObject({ notebook_name: 'a' })
  })
})

describe('read-only mode', () => {
  test('opens notebooks, and refuses what would write or execute', async () => {
    const reader = await startToolClient({ jupyter, config: { readOnly: true } })
    try {
      const plain = await reader.call('use_notebook', { notebook_name: 'a', notebook_path: 'a.ipynb' })
      expect(plain.isError).toBe(false)
      for (const more of [{ mode: 'create' }, { kernel_id: 'NEW' }, { kernel_name: 'python3' }]) {
        const refused = await reader.call('use_notebook', {
          notebook_name: 'x',
          notebook_path: 'x.ipynb',
          ...more,
        })
        expect(refused.structured).toMatchObject({ error: { code: 'forbidden' } })
      }
    } finally {
      await reader.close()
    }
  })
})
