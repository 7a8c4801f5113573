import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLogger } from '@quire/kit/log'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestContents } from './contents.fixture.ts'
import type { ContentsPort } from './contents-port.ts'
import type { EditPlace, NotebookDocument } from './document.ts'
import { insertCell } from './edit-cells.ts'
import { overwriteSource } from './edit-source.ts'
import { createFileDocument } from './file-document.ts'
import type { Notebook } from './nbformat.ts'
import { code, notebook, oldNotebook, sources } from './notebook.fixture.ts'
import { createSharedFolder, type SharedFolder } from './shared-folder.fixture.ts'

const logger = createLogger({ level: 'silent', pretty: false })

let jupyter: Jupyter
let contents: ContentsPort
let folder: SharedFolder

beforeAll(async () => {
  jupyter = await startJupyter()
  contents = createTestContents(jupyter)
  folder = createSharedFolder(jupyter.root)
})
afterAll(() => jupyter?.stop())

async function open(book: unknown, port: ContentsPort = contents): Promise<NotebookDocument> {
  const path = folder.nextPath()
  await folder.writeByHand(path, book)
  return createFileDocument({ path, contents: port, logger })
}

const source = (index: number): EditPlace => ({ cells: [{ index }], touches: 'source' })

describe('a notebook of an older format', () => {
  test('4.2 stays 4.2, is merged without ids, and has none to offer', async () => {
    const document = await open(oldNotebook(code('a'), code('b')))
    const seen = await document.read()
    await folder.writeByHand(document.path, oldNotebook(code('new'), code('a'), code('b')))
    await document.edit(source(1), (draft, { cells: [index = -1] }) => overwriteSource(draft, index, 'B'), {
      seen,
    })
    await document.edit({ gap: 0, touches: 'structure' }, (draft, { gap }) =>
      insertCell(draft, gap, 'markdown', 'top'),
    )
    const after = await folder.onDisk(document.path)
    expect(after.nbformat_minor).toBe(2)
    expect(after.cells.some((cell) => 'id' in cell)).toBe(false)
    expect(await folder.sourcesOnDisk(document.path)).toEqual(['top', 'new', 'a', 'B'])
    const byId = document.edit({ cells: [{ id: 'a' }], touches: 'source' }, () => undefined)
    await expect(byId).rejects.toThrow(/format 4\.2.*Use the index/)
    await folder.validate(document.path)
  })

  test('3 can be read and is never converted behind its owner’s back', async () => {
    const cell = {
      cell_type: 'code',
      collapsed: false,
      input: ['1'],
      language: 'python',
      metadata: {},
      outputs: [],
      prompt_number: 1,
    }
    const old = {
      nbformat: 3,
      nbformat_minor: 0,
      metadata: { name: '' },
      worksheets: [{ cells: [cell], metadata: {} }],
    }
    const document = await open(old)
    expect(sources((await document.read()).notebook)).toEqual(['1'])
    const edit = document.edit(source(0), (draft) => overwriteSource(draft, 0, '2'))
    await expect(edit).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/old format 3.*Open and save it once in Jupyter/),
    })
    expect(JSON.parse(await readFile(join(jupyter.root, document.path), 'utf8'))).toEqual(old)
  })

  test('4.5 with missing and doubled ids is edited by index and by what was seen', async () => {
    const [a, b, c] = [code('a'), code('b', { id: 'd' }), code('c', { id: 'd' })]
    const document = await open({ ...notebook(), cells: [a, b, c] })
    const seen = await document.read()
    const overwrite = (text: string) => (draft: Notebook, place: { cells: readonly number[] }) =>
      overwriteSource(draft, place.cells[0] ?? -1, text)
    const id = seen.notebook.cells[0]?.id ?? ''
    const first = await document.edit({ cells: [{ id }], touches: 'source' }, overwrite('A'), { seen })
    expect(first.merged).toBe(false)
    await document.edit(source(2), overwrite('C'), { seen: first.snapshot })
    expect(await folder.sourcesOnDisk(document.path)).toEqual(['A', 'b', 'C'])
    await folder.validate(document.path)
  })
})

describe('what cannot be edited', () => {
  test('is a file that is no JSON', async () => {
    const document = await open('{"cells": [')
    await expect(document.read()).rejects.toThrow(
      /cannot be opened as a notebook.*Unreadable Notebook.*Mend the file/,
    )
    await expect(document.edit(source(0), () => undefined)).rejects.toThrow(/Unreadable Notebook/)
    expect(await readFile(join(jupyter.root, document.path), 'utf8')).toBe('{"cells": [')
  })

  test('is a folder, or a file of another kind', async () => {
    await folder.writeByHand('notes.txt', 'hello')
    const read = (path: string) => createFileDocument({ path, contents, logger }).read()
    await expect(read('notes.txt')).rejects.toThrow(/"notes\.txt" is not a notebook but a file/)
    await expect(read('')).rejects.toThrow(/is not a notebook but a directory/)
  })

  test('is a file that the server may not write', async () => {
    // Where tests run as root every file is writable, so it is the answer that is changed.
    const readOnly: ContentsPort = {
      ...contents,
      read: async (path, options) => ({ ...(await contents.read(path, options)), writable: false }),
    }
    const document = await open(notebook(code('a')), readOnly)
    const edit = document.edit(source(0), (draft) => overwriteSource(draft, 0, 'A'))
    await expect(edit).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/read-only.*work on a copy/),
    })
    expect(await folder.sourcesOnDisk(document.path)).toEqual(['a'])
  })

  test('is text that no file can hold', async () => {
    const document = await open(notebook(code('a')))
    const edit = document.edit(source(0), (draft) => overwriteSource(draft, 0, 'half \ud83c'))
    await expect(edit).rejects.toThrow(/half a surrogate pair.*Nothing was written/)
    expect(await folder.sourcesOnDisk(document.path)).toEqual(['a'])
  })
})
