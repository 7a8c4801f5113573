import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jupyterApi } from '../fixtures/jupyter-api.ts'
import { codeCell, sourcesIn, writeNotebook } from '../fixtures/notebook-files.ts'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'

let storage: Jupyter
let execution: Jupyter
let bench: ToolBench

beforeAll(async () => {
  ;[storage, execution] = await Promise.all([startJupyter(), startJupyter()])
  writeFileSync(join(execution.root, 'on-the-execution-server.txt'), 'x')
  writeNotebook(storage.root, 'top.ipynb', [codeCell('c0', 'cited = "from storage"'), codeCell('c1', 'b')])
  for (const folder of ['data/deep/deeper/deepest', 'data/more', 'empty']) {
    mkdirSync(join(storage.root, folder), { recursive: true })
  }
  writeFileSync(join(storage.root, 'data/a.csv'), 'x'.repeat(1500))
  writeFileSync(join(storage.root, 'data/deep/b.csv'), '1,2')
  writeFileSync(join(storage.root, 'data/deep/deeper/c.csv'), '1')
  writeFileSync(join(storage.root, 'data/deep/deeper/deepest/d.csv'), '1')
})

afterAll(async () => {
  await Promise.all([storage?.stop(), execution?.stop()])
})

beforeEach(async () => {
  bench = await startToolClient({ jupyter: storage, sandbox: execution })
})

afterEach(async () => {
  await bench.close()
})

const list = (args: Record<string, unknown> = {}) => bench.call('list_files', args)

async function paths(args: Record<string, unknown>): Promise<string[]> {
  const { structured } = await list({ limit: 0, ...args })
  return (structured.files as { path: string }[]).map(({ path }) => path)
}

describe('list_files', () => {
  test('lists the storage server, not the one where code runs', async () => {
    verifies('NB-TOOL-1', 'NB-CARE-2', 'NB-TOOL-31')
    const reply = await list()
    expect(reply.text).toMatch(/^Showing 0-6 of 6 files\n\nPath\tType\tSize\tLast_Modified\n/)
    expect(reply.text).toMatch(/\ndata\/a\.csv\tfile\t1\.5KB\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n/)
    expect(reply.text).not.toContain('on-the-execution-server')
    expect(reply.structured).toMatchObject({ total: 6, start_index: 0, end_index: 6, incomplete: false })
  })

  test('goes as deep as it is told', async () => {
    verifies('NB-TOOL-1')
    expect(await paths({ path: 'data', max_depth: 0 })).toEqual(['data/a.csv', 'data/deep', 'data/more'])
    expect(await paths({ path: 'data', max_depth: 2, pattern: '*.csv' })).toEqual([
      'data/a.csv',
      'data/deep/b.csv',
      'data/deep/deeper/c.csv',
    ])
    expect(await paths({ max_depth: 3, pattern: 'data/*' })).toEqual(['data/a.csv', 'data/deep', 'data/more'])
  })

  test('goes page by page', async () => {
    verifies('NB-TOOL-1')
    const page = await list({ start_index: 2, limit: 2 })
    expect(page.text).toContain('Showing 2-4 of 6 files')
    const beyond = await list({ start_index: 100, limit: 1 })
    expect(beyond.text).toContain('[WARNING]')
    expect(beyond.text).toContain('Showing 0-1 of 6 files')
  })

  test('says when there is nothing', async () => {
    verifies('NB-TOOL-31')
    expect((await list({ path: 'empty' })).text).toBe("No files found in path 'empty'")
    expect((await list({ pattern: '*.xyz' })).text).toContain("No files matching pattern '*.xyz'")
    const missing = await list({ path: 'nowhere' })
    expect(missing.isError).toBe(true)
  })

  test('shows a folder that cannot be read, and the others all the same', async () => {
    mkdirSync(join(storage.root, 'odd\\name'))
    const reply = await list()
    rmSync(join(storage.root, 'odd\\name'), { recursive: true })
    expect(reply.isError).toBe(false)
    expect(reply.structured.files).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          path: 'odd\\name',
          type: 'error',
          error: expect.stringContaining('backslashes'),
        }),
        expect.objectContaining({ path: 'data/a.csv', type: 'file' }),
      ]),
    )
  })

  test('shows only what is inside the fence', async () => {
    const fenced = await startToolClient({ jupyter: storage, config: { allowedPaths: ['data/deep'] } })
    try {
      const reply = await fenced.call('list_files', { path: 'data/deep' })
      expect(reply.text).toContain('data/deep/b.csv')
      const outside = await fenced.call('list_files', { path: 'data/more' })
      expect(outside.structured).toMatchObject({ error: { code: 'forbidden' } })
      const root = await fenced.call('list_files', { max_depth: 3 })
      expect(root.text).not.toContain('top.ipynb')
      expect(root.text).not.toContain('data/a.csv')
    } finally {
      await fenced.close()
    }
  })
})

describe('rename_file', () => {
  test('renames a file and overwrites none', async () => {
    verifies('NB-TOOL-28')
    writeFileSync(join(storage.root, 'old.txt'), 'old')
    writeFileSync(join(storage.root, 'taken.txt'), 'taken')
    const refused = await bench.call('rename_file', { path: 'old.txt', new_path: 'taken.txt' })
    expect(refused.structured).toMatchObject({ error: { code: 'conflict' } })
    expect(readFileSync(join(storage.root, 'taken.txt'), 'utf8')).toBe('taken')
    const reply = await bench.call('rename_file', { path: 'old.txt', new_path: 'empty/new.txt' })
    expect(reply.text).toBe("'old.txt' renamed successfully to 'empty/new.txt'.")
    expect(existsSync(join(storage.root, 'old.txt'))).toBe(false)
    expect(readFileSync(join(storage.root, 'empty/new.txt'), 'utf8')).toBe('old')
    rmSync(join(storage.root, 'empty/new.txt'))
  })

  test.each([
    ['nowhere.txt', 'x.txt', 'not_found'],
    ['top.ipynb', 'nowhere/x.ipynb', 'not_found'],
    ['top.ipynb', 'data/a.csv/x.ipynb', 'invalid_argument'],
    ['top.ipynb', 'top.ipynb', 'invalid_argument'],
    ['data', 'data/deep/data', 'invalid_argument'],
    ['', 'x', 'invalid_argument'],
    ['top.ipynb', '/', 'invalid_argument'],
    ['top.ipynb', '../x.ipynb', 'invalid_argument'],
    ['../x.ipynb', 'x.ipynb', 'invalid_argument'],
  ])('refuses %j to %j', async (path, new_path, code) => {
    const reply = await bench.call('rename_file', { path, new_path })
    expect(reply).toMatchObject({ isError: true, structured: { error: { code } } })
    expect(existsSync(join(storage.root, 'top.ipynb'))).toBe(true)
  })

  test('keeps within the fence on both sides', async () => {
    const fenced = await startToolClient({ jupyter: storage, config: { allowedPaths: ['data'] } })
    try {
      for (const [path, new_path] of [
        ['data/a.csv', 'a.csv'],
        ['top.ipynb', 'data/top.ipynb'],
      ]) {
        const reply = await fenced.call('rename_file', { path, new_path })
        expect(reply.structured).toMatchObject({ error: { code: 'forbidden' } })
      }
      const reply = await fenced.call('delete_file', { path: 'top.ipynb' })
      expect(reply.structured).toMatchObject({ error: { code: 'forbidden' } })
    } finally {
      await fenced.close()
    }
  })

  test('takes a notebook in use along, with its kernel', async () => {
    verifies('NB-TOOL-28')
    const one = await startToolClient({ jupyter: storage })
    try {
      writeNotebook(storage.root, 'work/a.ipynb', [codeCell('c', 'x = 1')])
      await one.call('use_notebook', { notebook_name: 'a', notebook_path: 'work/a.ipynb', kernel_id: 'NEW' })
      const refused = await one.call('rename_file', { path: 'work/a.ipynb', new_path: 'work/a.txt' })
      expect(refused.structured).toMatchObject({ error: { code: 'conflict' } })
      const moved = await one.call('rename_file', { path: 'work', new_path: 'moved' })
      expect(moved.text).toContain('In use and moved along: a.')
      const renamed = await one.call('rename_file', { path: 'moved/a.ipynb', new_path: 'moved/b.ipynb' })
      expect(renamed.structured).toMatchObject({ new_path: 'moved/b.ipynb', notebooks: ['a'] })
      const edited = await one.call('overwrite_cell_source', { cell_index: 0, cell_source: 'x = 2' })
      expect(edited.isError).toBe(false)
      expect(sourcesIn(storage.root, 'moved/b.ipynb')).toEqual(['x = 2'])
      expect(existsSync(join(storage.root, 'work'))).toBe(false)
      const sessions = await jupyterApi<{ path: string }[]>(storage, 'GET', 'sessions')
      expect(sessions.map(({ path }) => path)).toEqual(['moved/b.ipynb'])
      const failed = await one.call('rename_file', { path: 'moved/b.ipynb', new_path: 'top.ipynb' })
      expect(failed.isError).toBe(true)
      expect((await one.call('read_notebook')).text).toContain('x = 2')
    } finally {
      await one.close()
    }
  })
})

describe('delete_file', () => {
  test('deletes files, and no folder, whatever may be hidden in it', async () => {
    verifies('NB-TOOL-29')
    mkdirSync(join(storage.root, 'kept'))
    writeFileSync(join(storage.root, 'kept/x.txt'), 'x')
    writeFileSync(join(storage.root, 'kept/.env'), 'x')
    const refuse = async (path: string) => {
      const refused = await bench.call('delete_file', { path })
      expect(refused).toMatchObject({ isError: true, structured: { error: { code: 'forbidden' } } })
      expect(refused.text).toContain("'kept' is a directory, and directories are not deleted here")
    }
    await refuse('kept')
    expect(existsSync(join(storage.root, 'kept/x.txt'))).toBe(true)
    const file = await bench.call('delete_file', { path: 'kept/./x.txt' })
    expect(file).toMatchObject({ isError: false, structured: { path: 'kept/x.txt', type: 'file' } })
    expect(existsSync(join(storage.root, 'kept/x.txt'))).toBe(false)
    // It looks empty now, and is not.
    await refuse('./kept/')
    expect(existsSync(join(storage.root, 'kept/.env'))).toBe(true)
    rmSync(join(storage.root, 'kept/.env'))
    await refuse('kept')
    expect(existsSync(join(storage.root, 'kept'))).toBe(true)
    rmSync(join(storage.root, 'kept'), { recursive: true })
  })

  test('refuses a notebook in use, a file that is not there, and the root', async () => {
    await bench.call('use_notebook', { notebook_name: 'top', notebook_path: 'top.ipynb' })
    const inUse = await bench.call('delete_file', { path: 'top.ipynb' })
    expect(inUse.structured).toMatchObject({ error: { code: 'conflict' } })
    expect(inUse.text).toContain('unuse_notebook')
    expect((await bench.call('delete_file', { path: 'nowhere.txt' })).structured).toMatchObject({
      error: { code: 'not_found' },
    })
    for (const path of ['/', '', '.', '..', 'data/..']) {
      expect((await bench.call('delete_file', { path })).isError).toBe(true)
    }
    expect(existsSync(join(storage.root, 'top.ipynb'))).toBe(true)
  })
})

describe('the prompt jupyter_cite', () => {
  const cite = (values: Record<string, string>) =>
    bench.client.getPrompt({ name: 'jupyter_cite', arguments: values })

  test('cites cells from the storage server', async () => {
    verifies('NB-CARE-3')
    writeNotebook(execution.root, 'top.ipynb', [codeCell('c0', 'cited = "from execution"')])
    await bench.call('use_notebook', { notebook_name: 'top', notebook_path: 'top.ipynb' })
    const { messages } = await cite({ prompt: 'Explain.', cell_indices: '0-1' })
    expect(messages).toHaveLength(1)
    const text = messages[0]?.content.type === 'text' ? messages[0].content.text : ''
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^USER Cite cells \[0, 1\] from notebook top, /),
      '=====Cell 0 | type: code | execution count: N/A=====',
      'cited = "from storage"',
      '',
      '=====Cell 1 | type: code | execution count: N/A=====',
      'b',
      '',
      '=====End of Cited Cells=====',
      expect.stringContaining('Explain.'),
    ])
  })

  test.each([
    [{ prompt: 'x', cell_indices: '7' }, 'out of range'],
    [{ prompt: 'x', cell_indices: '' }, 'cell_indices'],
    [{ prompt: '', cell_indices: '0' }, 'prompt'],
    [{ prompt: 'x', cell_indices: '0', notebook_name: 'other' }, 'is not connected'],
  ])('refuses %j', async (values, reason) => {
    await bench.call('use_notebook', { notebook_name: 'top', notebook_path: 'top.ipynb' })
    await expect(cite(values)).rejects.toThrow(reason)
  })

  test('is offered with its arguments', async () => {
    const { prompts } = await bench.client.listPrompts()
    expect(prompts).toMatchObject([
      { name: 'jupyter_cite', arguments: [{ name: 'prompt', required: true }, {}, {}] },
    ])
  })
})
