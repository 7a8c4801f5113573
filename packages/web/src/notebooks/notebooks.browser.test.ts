import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { WebSocketRoute } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  expectAccessible,
  failAt,
  lookAround,
  type QuireInBrowser,
  startQuireForBrowser,
  takeScreenshot,
} from '../browser.fixture.ts'
import { cellOf, codeOf, crowdFrame, makeNotebook, writeNotebook } from './notebooks.fixture.ts'
import { hostileCells, REFUSED, tour } from './outputs.fixture.ts'

let quire: QuireInBrowser

beforeAll(async () => {
  quire = await startQuireForBrowser()
})
afterAll(() => quire?.stop())

test('cells are moved, changed in kind, deleted, and brought back, also by keys', async () => {
  const path = await makeNotebook(quire, 'order.ipynb', ['"a"', '"b"', '"c"'])
  const page = await quire.newPage({ path: `/notebooks/${path}` })
  const texts = () =>
    page.locator('[data-cell] textarea').evaluateAll((all) => all.map((box) => 'value' in box && box.value))
  await codeOf(page, 3).waitFor()
  expect(await texts()).toEqual(['"a"', '"b"', '"c"'])
  await codeOf(page, 1).focus()
  await page.getByRole('button', { name: 'Move cell 1 down' }).click()
  await expect.poll(texts).toEqual(['"b"', '"a"', '"c"'])
  await page.getByRole('button', { name: 'Move cell 3 up' }).click()
  await expect.poll(texts).toEqual(['"b"', '"c"', '"a"'])
  await page.getByRole('button', { name: 'Delete cell 2' }).click()
  await expect.poll(texts).toEqual(['"b"', '"a"'])
  expect(await page.locator('[data-cell]:focus').count()).toBe(1)
  await page.getByRole('status').getByText('Cell 2 was deleted.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(texts).toEqual(['"b"', '"c"', '"a"'])
  await page.getByLabel('Kind of cell 2').selectOption('Text')
  await cellOf(page, 2).getByText('"c"').waitFor()

  await codeOf(page, 1).press('Escape')
  await page.keyboard.press('b')
  await expect.poll(texts).toEqual(['"b"', '', '"a"'])
  await page.keyboard.type('"new"')
  await expect.poll(texts).toEqual(['"b"', '"new"', '"a"'])
  await page.keyboard.press('Escape')
  await page.keyboard.press('d')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('d')
  expect(await texts()).toEqual(['"b"', '"new"', '"a"'])
  await page.keyboard.press('d')
  await expect.poll(texts).toEqual(['"new"', '"a"'])
  await page.keyboard.press('z')
  await expect.poll(texts).toEqual(['"b"', '"new"', '"a"'])
  await cellOf(page, 4).focus()
  await page.keyboard.press('m')
  await page.getByRole('region', { name: 'Cell 4, text', exact: true }).waitFor()
  await cellOf(page, 3).focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('New cell above').waitFor()
  await lookAround(page, 'notebook-keys')
  await page.keyboard.press('Escape')
})

test('who has a notebook open that gets another name is told so, and led there', async () => {
  const path = await makeNotebook(quire, 'before.ipynb', ['"a"'])
  const page = await quire.newPage({ path: `/notebooks/${path}` })
  const other = await quire.newPage({ path: `/notebooks/${path}` })
  await codeOf(other, 1).waitFor()
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('sorted')
  await lookAround(page, 'notebook-rename')
  await page.getByRole('button', { name: 'Rename', exact: true }).last().click()
  await page.getByRole('heading', { name: 'sorted' }).waitFor()
  await expect.poll(() => codeOf(page, 1).inputValue()).toBe('"a"')
  expect(new URL(page.url()).pathname).toMatch(/sorted\.ipynb$/)

  // The room says so when it next saves.
  await codeOf(other, 1).fill('"seen"')
  await expect.poll(() => codeOf(page, 1).inputValue()).toBe('"seen"')
  await other.getByRole('link', { name: 'Go on in sorted' }).waitFor()
  await lookAround(other, 'notebook-renamed')
  expect(await page.getByText('This notebook has another name now', { exact: false }).count()).toBe(0)
  await other.getByRole('link', { name: 'Go on in sorted' }).click()
  await other.getByRole('heading', { name: 'sorted' }).waitFor()
  await expect.poll(() => codeOf(other, 1).inputValue()).toBe('"seen"')
})

test('a long notebook becomes whole where it is looked at', async () => {
  const sources = Array.from({ length: 300 }, (_, index) => `cell_number = ${index + 1}`)
  const path = await makeNotebook(quire, 'long.ipynb', sources)
  const page = await quire.newPage({ path: `/notebooks/${path}` })
  const last = page.locator('[data-cell=cell-300]')
  await last.getByText('cell_number = 300').waitFor()
  expect(await page.locator('[data-cell] textarea').count()).toBeLessThan(200)
  await last.scrollIntoViewIfNeeded()
  await codeOf(page, 300).focus()
  await page.keyboard.press('Escape')
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => page.locator('[data-cell=cell-299]:focus').count()).toBe(1)
})

test('whatever ends a connection, the notebook is there again, and once', async () => {
  const path = await makeNotebook(quire, 'ends.ipynb', ['kept = 1'])
  const { page, connections } = await openBetween(path)

  const ends: ((connection: WebSocketRoute | undefined) => unknown)[] = [
    // A document with another history.
    (connection) => connection?.close({ code: 1003, reason: '{"reason":"unknown_document"}' }),
    (connection) => connection?.close({ code: 1009 }),
    (connection) => connection?.close({ code: 1012 }),
    (connection) => connection?.close({ code: 1013, reason: 'Later.' }),
    // No frame at all.
    (connection) => connection?.send(Buffer.from([0, 9, 9, 9])),
  ]
  for (const [index, end] of ends.entries()) {
    await end(connections.at(-1))
    await expect.poll(() => connections.length, { timeout: 20_000 }).toBe(index + 2)
    await page.getByText(/^(?:Saved|Saving …)$/).waitFor()
    await expect.poll(() => page.locator('[data-cell]').count()).toBe(1)
  }
  await codeOf(page, 1).press('Control+End')
  await page.keyboard.type('\nprint(kept)')
  await page.getByText('Saved').waitFor()

  await connections.at(-1)?.close({ code: 4403, reason: 'It is <b>outside</b> of what is allowed.' })
  await page.getByText('It is <b>outside</b> of what is allowed.').waitFor()
  await expectAccessible(page)
  await lookAround(page, 'notebook-refused')
  await page.getByRole('button', { name: 'Look again' }).click()
  await expect.poll(() => codeOf(page, 1).inputValue()).toBe('kept = 1\nprint(kept)')
})

test('folders are gone through, names are text, and what is deleted or never was is said to be', async () => {
  const name = '<img src=x onerror=alert(1)>'
  await mkdir(join(quire.folder, 'data/notebooks/in here'), { recursive: true })
  await makeNotebook(quire, `in here/${name}.ipynb`)
  await makeNotebook(quire, 'odd # ünï %41?.ipynb', ['1'])
  const page = await quire.newPage({ path: '/notebooks' })
  await page.getByRole('link', { name: 'in here' }).waitFor()
  await lookAround(page, 'notebooks')
  await page.getByRole('link', { name: 'in here' }).click()
  await page.getByRole('link', { name }).waitFor()
  expect(new URL(page.url()).searchParams.get('folder')).toBe('in here')
  await page.getByRole('button', { name: 'New notebook' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('alert').getByText('already', { exact: false }).waitFor()
  await lookAround(page, 'notebooks-new')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name }).click()
  await page.getByRole('heading', { name }).waitFor()
  await page.getByText('This notebook has no cells yet.').waitFor()
  await lookAround(page, 'notebook-empty')
  await page.getByRole('link', { name: 'in here' }).click()
  await lookAround(page, 'notebooks-folder')

  await page.getByRole('link', { name: 'Notebooks' }).first().click()
  await page.getByRole('link', { name: 'odd # ünï %41?' }).click()
  await codeOf(page, 1).waitFor()
  await page.reload()
  await codeOf(page, 1).waitFor()
  const other = await quire.newPage({ path: '/notebooks' })
  await other.getByRole('button', { name: 'Delete odd # ünï %41?' }).click()
  await lookAround(other, 'notebooks-delete')
  await other.getByRole('button', { name: 'Delete it' }).click()
  await page.getByText('This notebook was deleted', { exact: false }).waitFor()
  await lookAround(page, 'notebook-deleted')
  await other.getByRole('link', { name: 'odd # ünï %41?' }).waitFor({ state: 'detached' })
  expect(await other.locator('li :focus').count()).toBe(1)
  await other.goto(quire.addressOf('/notebooks/none.ipynb'))
  await other.getByText('There is no notebook at this address.').waitFor()
  await lookAround(other, 'notebook-unknown')
})

test('a fault in one cell or one output stays there', async () => {
  const spoiled = { output_type: 'stream', name: 'stdout', text: 'a spoiled output' }
  const sound = { output_type: 'stream', name: 'stdout', text: 'a sound output' }
  const toCell = (source: string, outputs: readonly unknown[] = []) => ({
    id: crypto.randomUUID().slice(0, 8),
    cell_type: 'code',
    source,
    metadata: {},
    execution_count: 1,
    outputs,
  })
  const path = await writeNotebook(quire, 'faults.ipynb', [
    toCell('spoiled_cell'),
    toCell('sound_cell', [spoiled, sound]),
  ])
  const page = await quire.newPage({ path: '/notebooks' })
  await failAt(page, 'spoiled_cell')
  await failAt(page, 'a spoiled output')
  await page.goto(quire.addressOf(`/notebooks/${path}`))
  await page.getByText('This cell cannot be shown.').waitFor()
  await page.getByText('This output cannot be shown.').waitFor()
  await cellOf(page, 2).getByText('a sound output').waitFor()
  await codeOf(page, 2).fill('still_written = 1')
  await page.getByText('Saved').waitFor()
})

test('a crowd in the room does not hold up who writes', async () => {
  const path = await makeNotebook(quire, 'crowd.ipynb', ['1'])
  const { page, connections } = await openBetween(path)
  connections[0]?.send(crowdFrame(20_000))
  await page.getByText('and 19,994 more').waitFor()
  await codeOf(page, 1).fill('still_written = 1')
  await page.getByText('Saved').waitFor()
})

test('hostile outputs try to reach the page, and fail', async () => {
  const path = await writeNotebook(quire, 'hostile.ipynb', hostileCells)
  const page = await quire.newPage({ path: `/notebooks/${path}` })
  await cellOf(page, 1).frameLocator('iframe').getByText(REFUSED).waitFor()
  await cellOf(page, 2).frameLocator('iframe').getByText('ran kept inside').waitFor()
  const third = cellOf(page, 3)
  await third.getByText('An output of a kind that this page cannot show.').waitFor()
  expect(
    await third.getByText('<img src=x onerror="top.quireTaken=1">', { exact: false }).count(),
  ).toBeGreaterThan(5)
  expect(await third.locator('img[src="x"], script').count()).toBe(0)
  expect(await third.locator('a[href^="javascript"]').count()).toBe(0)
  await third.frameLocator('iframe').getByText('drawn by the cell').waitFor()
  await expect
    .poll(() =>
      third
        .frameLocator('iframe')
        .locator('html')
        .evaluate(() => document.title),
    )
    .toBe('refused')
  await cellOf(page, 4).getByText('was stopped: it kept this page busy.', { exact: false }).waitFor()
  expect(await cellOf(page, 4).locator('iframe').count()).toBe(0)
  expect(await page.evaluate('window.quireTaken')).toBeUndefined()
  expect(page.url()).toBe(quire.addressOf(`/notebooks/${path}`))
})

test('outputs are shown for what they are, in either theme, and long ones folded', async () => {
  const path = await writeNotebook(quire, 'outputs.ipynb', tour)
  const page = await quire.newPage({ path: `/notebooks/${path}` })
  await cellOf(page, 2).getByText('line 499', { exact: false }).waitFor()
  expect(await cellOf(page, 2).getByText('line 3\n', { exact: false }).count()).toBe(0)
  const table = cellOf(page, 3).frameLocator('iframe').first()
  await table.getByText('n²').waitFor()
  await lookAround(page, 'notebook')
  await cellOf(page, 2).getByRole('button', { name: 'Show all 500 lines' }).click()
  await cellOf(page, 2).getByText('line 3\n', { exact: false }).waitFor()
  await cellOf(page, 2).getByRole('button', { name: 'Clear the outputs of cell 2' }).click()

  await page.getByAltText('One pixel').scrollIntoViewIfNeeded()
  const heightOf = (at: number) =>
    cellOf(page, 3)
      .locator('iframe')
      .nth(at)
      .evaluate((frame) => frame.clientHeight)
  // The second grows and then shrinks by itself.
  await expect.poll(() => heightOf(1)).toBeGreaterThan(250)
  await cellOf(page, 3).frameLocator('iframe').nth(1).getByRole('button', { name: 'smaller' }).click()
  await expect.poll(() => heightOf(1)).toBeLessThan(120)
  await cellOf(page, 6).getByText('\\int_0^1 x^2 \\, dx', { exact: true }).waitFor()

  const inkOf = () =>
    table
      .locator('td')
      .first()
      .evaluate((cell) => getComputedStyle(cell).color)
  expect(await inkOf()).toBe('rgb(32, 36, 44)')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(inkOf).toBe('rgb(236, 238, 242)')
  await expectAccessible(page)
  await takeScreenshot(page, 'notebook-outputs-dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await takeScreenshot(page, 'notebook-outputs-light')
})

/** A notebook, with the test between its page and its room. */
async function openBetween(path: string) {
  const page = await quire.newPage({ path: '/notebooks' })
  const connections: WebSocketRoute[] = []
  await page.routeWebSocket(/\/live\//, (connection) => {
    connection.connectToServer()
    connections.push(connection)
  })
  await page.goto(quire.addressOf(`/notebooks/${path}`))
  await codeOf(page, 1).waitFor()
  return { page, connections }
}
