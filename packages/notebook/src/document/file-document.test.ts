import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLogger } from '@quire/kit/log'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeCellType } from './change-cell-type.ts'
import { createTestContents } from './contents.fixture.ts'
import type { ContentsPort } from './contents-port.ts'
import type { EditPlace, NotebookDocument } from './document.ts'
import { deleteCells, insertCell, moveCell } from './edit-cells.ts'
import { clearOutputs, setOutputs } from './edit-outputs.ts'
import { editSource, overwriteSource } from './edit-source.ts'
import { createFileDocument } from './file-document.ts'
import { mergeCells } from './merge-cells.ts'
import type { Notebook } from './nbformat.ts'
import { code, markdown, notebook, oldNotebook, sources, stream } from './notebook.fixture.ts'
import { createSharedFolder, type SharedFolder } from './shared-folder.fixture.ts'
import { splitCell } from './split-cell.ts'

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

describe('an edit', () => {
  test('is in the file when it is answered, and the answer says what the file now is', async () => {
    const document = await open(notebook(code('a'), markdown('b')))
    const seen = await document.read()
    const edited = await document.edit(
      source(0),
      (draft, { cells: [index = -1] }) => overwriteSource(draft, index, 'A'),
      { seen },
    )
    expect(edited).toMatchObject({ result: { before: 'a', after: 'A' }, merged: false })
    expect(sources(edited.snapshot.notebook)).toEqual(['A', 'b'])
    expect(edited.snapshot.revision).not.toBe(seen.revision)
    expect(await folder.sourcesOnDisk(document.path)).toEqual(['A', 'b'])
    expect((await document.read()).revision).toBe(edited.snapshot.revision)
  })

  test('that changes nothing writes nothing', async () => {
    const document = await open(notebook(code('a')))
    const { revision } = await document.read()
    const edited = await document.edit(source(0), (draft) => overwriteSource(draft, 0, 'a'))
    expect(edited.snapshot.revision).toBe(revision)
    expect((await document.read()).revision).toBe(revision)
  })

  test('that throws writes nothing', async () => {
    const document = await open(notebook(code('a')))
    const { revision } = await document.read()
    const edit = document.edit(source(0), (draft) => {
      overwriteSource(draft, 0, 'A')
      return overwriteSource(draft, 1, 'B')
    })
    await expect(edit).rejects.toThrow(/out of range/)
    expect((await document.read()).revision).toBe(revision)
  })

  test('of every kind leaves a valid notebook, with ids and without', async () => {
    const attachments = { 'a.png': { 'image/png': 'iVBORw0KGgo=' } }
    const cells = [
      code('x = 1\nx', { execution_count: 1, outputs: [stream('1\n')] }),
      markdown('# 🎻 Überschrift\n日本語', { attachments }),
      markdown('text'),
      code('y'),
    ]
    const edits: ((draft: Notebook) => unknown)[] = [
      (draft) => insertCell(draft, 0, 'raw', 'r'),
      (draft) => insertCell(draft, -1, 'markdown', 'm'),
      (draft) => moveCell(draft, 0, 3),
      (draft) => overwriteSource(draft, 0, 'print("a\\n")\r\n\u2028\u0000🎻'),
      (draft) => editSource(draft, 1, { old: '🎻', replacement: '🎺' }),
      (draft) =>
        setOutputs(
          draft,
          0,
          [
            stream('x\u001b[0m'),
            {
              output_type: 'execute_result',
              data: { 'text/plain': 'a\nb', 'application/json': { a: [1, null] } },
              metadata: {},
              execution_count: 5,
            },
            {
              output_type: 'display_data',
              data: { 'image/svg+xml': '<svg>\n</svg>' },
              metadata: { needs: 'x' },
            },
            { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['t'] },
          ],
          5,
        ),
      (draft) => splitCell(draft, 0, { offset: 3 }),
      (draft) => mergeCells(draft, [0, 1]),
      (draft) => mergeCells(draft, [1, 2]),
      (draft) => changeCellType(draft, 0, 'markdown'),
      (draft) => changeCellType(draft, 0, 'raw'),
      (draft) => changeCellType(draft, 0, 'code'),
      (draft) => changeCellType(draft, 1, 'code'),
      (draft) => clearOutputs(draft, 0),
      (draft) => deleteCells(draft, [0, 2]),
    ]
    const copies: string[] = []
    for (const book of [notebook(...cells), oldNotebook(...cells)]) {
      const document = await open(book)
      for (const [step, change] of edits.entries()) {
        await document.edit({ touches: 'structure' }, change)
        const copy = document.path.replace('.ipynb', `-${step}.ipynb`)
        await copyFile(join(jupyter.root, document.path), join(jupyter.root, copy))
        copies.push(copy)
      }
      const after = await folder.onDisk(document.path)
      expect([after.nbformat, after.nbformat_minor]).toEqual([4, book.nbformat_minor])
      expect(after.cells.every((cell) => (cell.id !== undefined) === (book.nbformat_minor === 5))).toBe(true)
    }
    await folder.validate(...copies)
    expect(copies).toHaveLength(30)
    await folder.writeByHand('invalid.ipynb', notebook(code('a', { id: 'not valid' })))
    await expect(folder.validate('invalid.ipynb')).rejects.toThrow(/ValidationError/)
  })

  test('keeps what it does not know', async () => {
    const book = {
      ...notebook(code('a', { metadata: { tags: ['t'], vendor: { deep: [1] } } }), markdown('b')),
      metadata: { kernelspec: { name: 'python3', display_name: 'Python 3' }, vendor: { x: 1 } },
    }
    const document = await open(book)
    await document.edit(source(1), (draft) => overwriteSource(draft, 1, 'B'))
    const after = await folder.onDisk(document.path)
    expect(after.metadata).toEqual(book.metadata)
    expect(after.cells[0]?.metadata).toEqual({ tags: ['t'], vendor: { deep: [1] } })
  })

  test('of one cell among 1,000', async () => {
    const cells = Array.from({ length: 1_000 }, (_, index) =>
      code(`cell ${index}`, { outputs: [stream(`${index}\n`)] }),
    )
    const document = await open(notebook(...cells))
    const seen = await document.read()
    await folder.writeByHand(document.path, notebook(code('by hand', { id: 'h' }), ...seen.notebook.cells))
    const { merged } = await document.edit(
      { cells: [{ index: 321 }], touches: 'source' },
      (draft, { cells: [index = -1] }) => overwriteSource(draft, index, 'changed'),
      { seen },
    )
    expect(merged).toBe(true)
    const after = await folder.sourcesOnDisk(document.path)
    expect(after).toHaveLength(1_001)
    expect([after[0], after[321], after[322], after[323]]).toEqual([
      'by hand',
      'cell 320',
      'changed',
      'cell 322',
    ])
  })
})

describe('cancelling', () => {
  test('before the beginning does nothing', async () => {
    const document = await open(notebook(code('a')))
    const signal = AbortSignal.abort(new Error('the caller has gone'))
    await expect(document.read(signal)).rejects.toThrow('the caller has gone')
    const edit = document.edit(source(0), (draft) => overwriteSource(draft, 0, 'A'), { signal })
    await expect(edit).rejects.toThrow('the caller has gone')
    expect(await folder.sourcesOnDisk(document.path)).toEqual(['a'])
  })

  test('in the middle writes nothing and lets the next one in', async () => {
    const document = await open(notebook(code('a')))
    const caller = new AbortController()
    const cancelled = document.edit(
      source(0),
      (draft) => {
        caller.abort(new Error('the caller has gone'))
        return overwriteSource(draft, 0, 'A')
      },
      { signal: caller.signal },
    )
    const next = document.edit({ gap: -1, touches: 'structure' }, (draft) =>
      insertCell(draft, -1, 'code', 'b'),
    )
    await expect(cancelled).rejects.toThrow('the caller has gone')
    await next
    expect(await folder.sourcesOnDisk(document.path)).toEqual(['a', 'b'])
  })
})

describe('a closed document', () => {
  test('finishes what it is in the middle of', async () => {
    const document = await open(notebook(code('a')))
    const log: string[] = []
    let closing: Promise<unknown> | undefined
    const edit = document.edit(source(0), (draft) => {
      closing = document.close().then(() => log.push('closed'))
      return overwriteSource(draft, 0, 'A')
    })
    await edit.then(() => log.push('edited'))
    await closing
    expect(log).toEqual(['edited', 'closed'])
    expect(await folder.sourcesOnDisk(document.path)).toEqual(['A'])
  })

  test('begins nothing more', async () => {
    const document = await open(notebook(code('a')))
    const waiting = document.edit(source(0), (draft) => overwriteSource(draft, 0, 'A'))
    await Promise.all([document.close(), expect(waiting).rejects.toThrow(/was let go/)])
    await expect(document.read()).rejects.toThrow(/was let go. Open it again with use_notebook/)
    await expect(document.edit(source(0), () => undefined)).rejects.toThrow(/was let go/)
    await document.close()
    expect(await folder.sourcesOnDisk(document.path)).toEqual(['a'])
  })
})
