import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createLogger } from '@quire/kit/log'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestContents } from './contents.fixture.ts'
import type { ContentsPort } from './contents-port.ts'
import type { EditPlace, NotebookDocument } from './document.ts'
import { insertCell } from './edit-cells.ts'
import { overwriteSource } from './edit-source.ts'
import { createFileDocument } from './file-document.ts'
import { code, notebook, sources } from './notebook.fixture.ts'
import { createPathLocks } from './path-locks.ts'
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

describe('while somebody else works on the file', () => {
  test('an edit elsewhere is merged', async () => {
    verifies('NB-FILE-2')
    const document = await open(notebook(code('a'), code('b'), code('c')))
    const seen = await document.read()
    await folder.writeByHand(
      document.path,
      notebook(
        code('new', { id: 'n' }),
        code('a by hand', { id: 'c0' }),
        code('b', { id: 'c1' }),
        code('c', { id: 'c2' }),
      ),
    )
    const { merged, snapshot } = await document.edit(
      source(1),
      (draft, { cells: [index = -1] }) => overwriteSource(draft, index, 'B'),
      { seen },
    )
    expect(merged).toBe(true)
    expect(sources(snapshot.notebook)).toEqual(['new', 'a by hand', 'B', 'c'])
    expect(await folder.sourcesOnDisk(document.path)).toEqual(['new', 'a by hand', 'B', 'c'])
  })

  test('an edit of the same cell is refused, and nothing is lost', async () => {
    verifies('NB-FILE-2')
    const document = await open(notebook(code('a'), code('b')))
    const seen = await document.read()
    await folder.writeByHand(document.path, notebook(code('a'), code('b by hand')))
    const edit = document.edit(source(1), (draft) => overwriteSource(draft, 1, 'B'), { seen })
    await expect(edit).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('+b by hand'),
    })
    expect(await folder.sourcesOnDisk(document.path)).toEqual(['a', 'b by hand'])
  })

  test('an edit begins again when the file changes between reading and writing', async () => {
    verifies('NB-FILE-2')
    const document = await open(notebook(code('a'), code('b')))
    const seen = await document.read()
    const interfering = createInterfering(document.path, 2)
    const path = document.path
    const { snapshot, merged } = await createFileDocument({ path, contents: interfering, logger }).edit(
      source(1),
      (draft, { cells: [index = -1] }) => overwriteSource(draft, index, 'B'),
      { seen },
    )
    expect(merged).toBe(true)
    expect(sources(snapshot.notebook)).toEqual(['by hand 1', 'by hand 0', 'a', 'B'])
    expect(await folder.sourcesOnDisk(path)).toEqual(['by hand 1', 'by hand 0', 'a', 'B'])
  })

  test('an edit begins again also when the server tells neither time nor hash', async () => {
    const { path } = await open(notebook(code('a')))
    const interfering = createInterfering(path, 1)
    const blank: ContentsPort = {
      read: async (target, options) => ({ ...(await interfering.read(target, options)), lastModified: '' }),
      write: async (target, book, options) => ({
        ...(await contents.write(target, book, options)),
        lastModified: '',
      }),
    }
    const document = createFileDocument({ path, contents: blank, logger })
    const { snapshot } = await document.edit({ gap: -1, touches: 'structure' }, (draft, { gap }) =>
      insertCell(draft, gap, 'code', 'b'),
    )
    expect(sources(snapshot.notebook)).toEqual(['by hand 0', 'a', 'b'])
    expect((await document.read()).revision).not.toBe('')
  })

  test('an edit gives up when the file changes every time', async () => {
    verifies('NB-FILE-2')
    const { path } = await open(notebook(code('a')))
    const document = createFileDocument({ path, contents: createInterfering(path, 99), logger })
    const edit = document.edit(
      { cells: [{ id: 'c0' }], touches: 'source' },
      (draft, { cells: [index = -1] }) => overwriteSource(draft, index, 'A'),
    )
    await expect(edit).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('5 times'),
    })
    expect(await folder.sourcesOnDisk(path)).toEqual(
      [4, 3, 2, 1, 0].map((round) => `by hand ${round}`).concat('a'),
    )
  })

  /** A person who saves the file each time just before the last look at it, so many times. */
  function createInterfering(path: string, times: number): ContentsPort {
    let round = 0
    return {
      ...contents,
      async read(target, options) {
        if (!options.content && round < times) {
          const { cells, ...rest } = await folder.onDisk(path)
          await folder.writeByHand(path, {
            ...rest,
            cells: [code(`by hand ${round}`, { id: `h${round}` }), ...cells],
          })
          round += 1
        }
        return contents.read(target, options)
      },
    }
  }

  test('an edit of a file that was deleted does not bring it back', async () => {
    verifies('NB-FILE-2')
    const document = await open(notebook(code('a')))
    const deleting = createFileDocument({
      path: document.path,
      logger,
      contents: {
        ...contents,
        async read(path, options) {
          if (!options.content) await rm(join(jupyter.root, path))
          return contents.read(path, options)
        },
      },
    })
    await expect(deleting.edit(source(0), (draft) => overwriteSource(draft, 0, 'A'))).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(document.read()).rejects.toMatchObject({ code: 'not_found' })
    await expect(document.save()).rejects.toThrow(/"book-\d+\.ipynb" was not found.*list_files/)
  })

  test('two documents of one file lose none of each other’s edits', async () => {
    verifies('NB-FILE-2')
    const { path } = await open(notebook(code('a')))
    const locks = createPathLocks()
    const documents = [0, 1].map(() => createFileDocument({ path, contents, logger, locks }))
    const edits = Array.from({ length: 50 }, (_, round) =>
      documents[round % 2]?.edit({ gap: -1, touches: 'structure' }, (draft, { gap }) =>
        insertCell(draft, gap, 'code', `edit ${round}`),
      ),
    )
    await Promise.all(edits)
    const written = await folder.sourcesOnDisk(path)
    expect(written).toEqual(['a', ...Array.from({ length: 50 }, (_, round) => `edit ${round}`)])
    await folder.validate(path)
  })
})
