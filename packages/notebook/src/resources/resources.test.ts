import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jupyterApi, type KernelAnswer } from '../fixtures/jupyter-api.ts'
import { codeCell, markdownCell, writeNotebook } from '../fixtures/notebook-files.ts'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'

let jupyter: Jupyter
let bench: ToolBench
let kernel: KernelAnswer

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

beforeAll(async () => {
  jupyter = await startJupyter()
  writeNotebook(jupyter.root, 'notes/my work.ipynb', [
    markdownCell('title', '# Title'),
    codeCell('print', 'print(1)', '\u001b[31mred\u001b[0m\n'),
    {
      ...codeCell('plot', 'plot()'),
      outputs: [
        {
          output_type: 'display_data',
          data: {
            'image/png': PIXEL,
            'text/plain': '<Figure>',
            'application/json': { a: [1] },
            'text/html': '<b>x</b>',
          },
          metadata: {},
        },
        {
          output_type: 'error',
          ename: 'ValueError',
          evalue: 'no',
          traceback: ['\u001b[31mValueError\u001b[0m: no'],
        },
      ],
    },
  ])
  writeNotebook(
    jupyter.root,
    'old.ipynb',
    [{ cell_type: 'code', source: 'x', metadata: {}, outputs: [], execution_count: null }],
    4,
  )
  mkdirSync(join(jupyter.root, 'data'))
  writeFileSync(join(jupyter.root, 'data/é 1.csv'), 'a,b\n1,2\n')
  writeFileSync(join(jupyter.root, 'data/raw.bin'), Buffer.from([0, 255, 254]))
  writeFileSync(join(jupyter.root, 'data/large.txt'), 'x'.repeat(1024 * 1024 + 1))
  kernel = await jupyterApi<KernelAnswer>(jupyter, 'POST', 'kernels', { name: 'python3' })
  bench = await startToolClient({ jupyter })
  await bench.call('use_notebook', { notebook_name: 'my work', notebook_path: 'notes/my work.ipynb' })
  await bench.call('use_notebook', { notebook_name: 'old', notebook_path: 'old.ipynb' })
})

afterAll(async () => {
  await bench?.close()
  await jupyter?.stop()
})

const read = async (uri: string) => (await bench.client.readResource({ uri })).contents

describe('resources', () => {
  test('are the notebooks in use, and templates for what is in them', async () => {
    const { resources } = await bench.client.listResources()
    expect(resources).toMatchObject([
      { uri: 'notebook://my%20work', name: 'my work', mimeType: 'application/x-ipynb+json' },
      { uri: 'notebook://old', name: 'old' },
    ])
    const { resourceTemplates } = await bench.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'notebook://{name}',
      'notebook://{name}/cells/{id}',
      'notebook://{name}/cells/{id}/outputs/{index}',
      'notebook-output://{id}/{index}',
      'jupyter://files/{+path}',
      'jupyter://kernels/{id}',
    ])
  })

  test('show a notebook as JSON', async () => {
    const [content] = await read('notebook://my%20work')
    expect(content).toMatchObject({ uri: 'notebook://my%20work', mimeType: 'application/x-ipynb+json' })
    const notebook = JSON.parse(content && 'text' in content ? content.text : '')
    expect(notebook.cells.map(({ id }: { id: string }) => id)).toEqual(['title', 'print', 'plot'])
  })

  test('show the source of a cell', async () => {
    expect(await read('notebook://my%20work/cells/title')).toMatchObject([
      { mimeType: 'text/markdown', text: '# Title' },
    ])
    expect(await read('notebook://my%20work/cells/print')).toMatchObject([
      { mimeType: 'text/x-python', text: 'print(1)' },
    ])
    expect(await read('notebook://old/cells/@0')).toMatchObject([{ text: 'x' }])
  })

  test('show an output whole, in all its representations', async () => {
    expect(await read('notebook://my%20work/cells/print/outputs/0')).toMatchObject([
      { mimeType: 'text/plain', text: 'red\n' },
    ])
    const uri = 'notebook://my%20work/cells/plot/outputs/0'
    expect(await read(uri)).toEqual(
      expect.arrayContaining([
        { uri, mimeType: 'image/png', blob: PIXEL },
        { uri, mimeType: 'text/plain', text: '<Figure>' },
        { uri, mimeType: 'application/json', text: '{"a":[1]}' },
        { uri, mimeType: 'text/html', text: '<b>x</b>' },
      ]),
    )
    expect(await read('notebook://my%20work/cells/plot/outputs/1')).toMatchObject([
      { text: 'ValueError: no' },
    ])
  })

  test('show files and folders', async () => {
    expect(await read('jupyter://files/data/%C3%A9%201.csv')).toMatchObject([
      { mimeType: 'text/csv', text: 'a,b\n1,2\n' },
    ])
    expect(await read('jupyter://files/data/raw.bin')).toMatchObject([
      { mimeType: 'application/octet-stream', blob: 'AP/+' },
    ])
    expect(await read('jupyter://files/old.ipynb')).toMatchObject([{ mimeType: 'application/x-ipynb+json' }])
    const [folder] = await read('jupyter://files/data')
    expect(JSON.parse(folder && 'text' in folder ? folder.text : '')).toMatchObject({
      path: 'data',
      total: 3,
      entries: [
        { path: 'data/large.txt' },
        { path: 'data/raw.bin' },
        { uri: 'jupyter://files/data/%C3%A9%201.csv' },
      ],
    })
    const [root] = await read('jupyter://files/')
    expect(root && 'text' in root ? root.text : '').toContain('"old.ipynb"')
  })

  test('show a kernel', async () => {
    const [content] = await read(`jupyter://kernels/${kernel.id}`)
    expect(JSON.parse(content && 'text' in content ? content.text : '')).toMatchObject({
      id: kernel.id,
      name: 'python3',
    })
  })

  test.each([
    ['notebook://nobody', 'is not connected'],
    ['notebook://old/cells/x', 'no cell ids'],
    ['notebook://my%20work/cells/nobody', 'nobody'],
    ['notebook://old/cells/@9', 'out of range'],
    ['notebook://my%20work/cells/title/outputs/0', 'no output 0'],
    ['notebook://my%20work/cells/print/outputs/1', 'no output 1'],
    ['notebook-output://nobody/0', 'no longer kept'],
    ['jupyter://kernels/nobody', '404'],
    ['jupyter://files/nowhere.txt', '404'],
    ['jupyter://files/../secret', 'dots'],
    ['jupyter://files/%2e%2e/secret', 'dots'],
    ['jupyter://files/a%2f..%2f..%2fsecret', 'dots'],
    ['jupyter://files/data/large.txt', 'at most'],
    ['file:///etc/passwd', 'no resource'],
    ['nonsense', 'no resource'],
  ])('refuse %s', async (uri, reason) => {
    await expect(read(uri)).rejects.toThrow(reason)
  })

  test('stay within the fence', async () => {
    const fenced = await startToolClient({ jupyter, config: { allowedPaths: ['notes'] } })
    try {
      await expect(fenced.client.readResource({ uri: 'jupyter://files/old.ipynb' })).rejects.toThrow(
        'outside',
      )
      const { contents } = await fenced.client.readResource({ uri: 'jupyter://files/' })
      expect(JSON.stringify(contents)).toContain('notes')
      expect(JSON.stringify(contents)).not.toContain('old.ipynb')
    } finally {
      await fenced.close()
    }
  })

  test('of one caller are not those of another', async () => {
    const other = await bench.connect('somebody-else')
    const { resources } = await other.client.listResources()
    expect(resources).toEqual([])
    await expect(other.client.readResource({ uri: 'notebook://old' })).rejects.toThrow('is not connected')
  })
})

describe('completions', () => {
  const complete = async (
    ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
    name: string,
    value: string,
    given?: Record<string, string>,
  ) =>
    (
      await bench.client.complete({
        ref,
        argument: { name, value },
        ...(given && { context: { arguments: given } }),
      })
    ).completion

  const template = (uri: string) => ({ type: 'ref/resource', uri }) as const

  test('offer the names of notebooks in use', async () => {
    const prompt = { type: 'ref/prompt', name: 'jupyter_cite' } as const
    expect(await complete(prompt, 'notebook_name', '')).toEqual({
      values: ['my work', 'old'],
      total: 2,
      hasMore: false,
    })
    expect((await complete(prompt, 'notebook_name', 'o')).values).toEqual(['old'])
    expect((await complete(prompt, 'cell_indices', '')).values).toEqual([])
    expect((await complete(template('notebook://{name}'), 'name', 'my')).values).toEqual(['my work'])
  })

  test('offer cells and outputs', async () => {
    const cell = template('notebook://{name}/cells/{id}')
    expect((await complete(cell, 'id', 'p', { name: 'my work' })).values).toEqual(['plot', 'print'])
    expect((await complete(cell, 'id', '', { name: 'old' })).values).toEqual(['@0'])
    expect((await complete(cell, 'id', '', { name: 'nobody' })).values).toEqual([])
    const output = template('notebook://{name}/cells/{id}/outputs/{index}')
    expect((await complete(output, 'index', '', { name: 'my work', id: 'plot' })).values).toEqual(['0', '1'])
  })

  test('offer paths, folder by folder', async () => {
    const file = template('jupyter://files/{+path}')
    expect((await complete(file, 'path', '')).values).toEqual(['data/', 'notes/', 'old.ipynb'])
    expect((await complete(file, 'path', 'no')).values).toEqual(['notes/'])
    expect((await complete(file, 'path', 'data/l')).values).toEqual(['data/large.txt'])
    for (const hopeless of ['nowhere/x', '../', '..%2f', 'old.ipynb/x', '\0/x']) {
      expect((await complete(file, 'path', hopeless)).values).toEqual([])
    }
  })

  test('offer kernels', async () => {
    expect(
      (await complete(template('jupyter://kernels/{id}'), 'id', kernel.id.slice(0, 4))).values,
    ).toContain(kernel.id)
    expect((await complete(template('jupyter://other/{id}'), 'id', '')).values).toEqual([])
  })

  test('offer no more than the protocol allows, and say so', async () => {
    mkdirSync(join(jupyter.root, 'many'))
    for (let index = 0; index < 120; index += 1) writeFileSync(join(jupyter.root, `many/${index}.txt`), '')
    const completion = await complete(template('jupyter://files/{+path}'), 'path', 'many/')
    expect(completion).toMatchObject({ total: 120, hasMore: true })
    expect(completion.values).toHaveLength(100)
  })
})
