import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { liveServers, notebookOf } from './live-servers.fixture.ts'
import { joinLive, startService } from './notebook-live.fixture.ts'

const PATIENCE = { timeout: 20_000 }

describe.each(Object.entries(liveServers))('at /live, on %s', (_name, start) => {
  let server: Awaited<ReturnType<typeof start>>
  let service: Awaited<ReturnType<typeof startService>>
  beforeAll(async () => {
    server = await start()
    service = await startService(server)
  })
  afterAll(async () => {
    await service?.stop()
    await server?.stop()
  })

  const put = (path: string, ...sources: string[]) =>
    writeFile(join(server.root, path), JSON.stringify(notebookOf(sources)))
  async function inFile(path: string): Promise<string[]> {
    const { cells } = JSON.parse(await readFile(join(server.root, path), 'utf8'))
    return cells.map(({ source }: { source: string | string[] }) => [source].flat().join(''))
  }

  test('two pages and a tool work in one notebook, and the file agrees', async () => {
    verifies('NB-LIVE-2')
    await put('Prüfung 1 %.ipynb', 'a', 'b')
    const path = 'Prüfung 1 %25.ipynb'
    const one = await joinLive(service.address, path)
    const two = await joinLive(service.address, path)
    expect(two.sources()).toEqual(['a', 'b'])
    one.notebook.cells[0]?.updateSource(0, 1, 'first')
    await expect.poll(() => two.sources(), PATIENCE).toEqual(['first', 'b'])

    one.notebook.awareness.setLocalStateField('user', { name: 'Ada' })
    await expect
      .poll(() => [...two.notebook.awareness.getStates().values()].map(({ user }) => user?.name), PATIENCE)
      .toContain('Ada')

    await service.call('use_notebook', { notebook_name: 'n', notebook_path: 'Prüfung 1 %.ipynb' })
    await service.call('insert_cell', { cell_index: 2, cell_type: 'code', cell_source: 'print(6 * 7)' })
    await expect
      .poll(() => [one, two].map((page) => page.sources()[2]), PATIENCE)
      .toEqual(Array(2).fill('print(6 * 7)'))
    await expect
      .poll(() => [...one.notebook.awareness.getStates().values()].map(({ user }) => user?.name), PATIENCE)
      .toContain('test')
    await service.call('execute_cell', { cell_index: 2 })
    for (const page of [one, two])
      await expect
        .poll(() => JSON.stringify(page.notebook.cells[2]?.toJSON().outputs), PATIENCE)
        .toContain('42')
    await expect.poll(() => inFile('Prüfung 1 %.ipynb'), PATIENCE).toEqual(['first', 'b', 'print(6 * 7)'])

    one.notebook.cells[1]?.updateSource(0, 1, 'last')
    one.close()
    two.close()
    await expect.poll(() => inFile('Prüfung 1 %.ipynb'), PATIENCE).toEqual(['first', 'last', 'print(6 * 7)'])
    expect(
      await service.call('read_notebook', { notebook_name: 'n', response_format: 'detailed' }),
    ).toContain('last')
    await service.call('unuse_notebook', { notebook_name: 'n' })
  })

  test('what somebody else writes to the file comes in once, and edits here stay', async () => {
    await put('others.ipynb', 'a', 'b', 'c')
    const page = await joinLive(service.address, 'others.ipynb')
    page.notebook.cells[2]?.updateSource(0, 1, 'here')
    await put('others.ipynb', 'there', 'b', 'c')
    await expect.poll(() => page.sources(), PATIENCE).toEqual(['there', 'b', 'here'])
    await expect.poll(() => inFile('others.ipynb'), PATIENCE).toEqual(['there', 'b', 'here'])
    page.close()
  })

  test('a page that comes back finds no cell doubled, also when the server was away', async () => {
    await put('away.ipynb', 'a')
    const page = await joinLive(service.address, 'away.ipynb')
    await server.restart()
    page.notebook.cells[0]?.updateSource(0, 1, 'kept')
    await expect.poll(() => inFile('away.ipynb'), PATIENCE).toEqual(['kept'])
    const other = await joinLive(service.address, 'away.ipynb')
    expect(other.sources()).toEqual(['kept'])
    other.close()
    page.close()
  })
})
