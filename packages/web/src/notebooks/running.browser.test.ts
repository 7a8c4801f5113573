import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  expectAccessible,
  lookAround,
  type QuireInBrowser,
  startQuireForBrowser,
  takeScreenshot,
} from '../browser.fixture.ts'
import { callTool, cellOf, codeOf } from './notebooks.fixture.ts'

/** A kernel that has to be started first, beside everything else that is tested. */
const STARTING = Object.freeze({ timeout: 50_000 })

const HOSTILE = '<img src=x onerror=alert(1)></script>\u202Egnp'
/** One notebook for all of them, because every other one has a kernel to be started. */
const PATH = 'first steps.ipynb'
let quire: QuireInBrowser

beforeAll(async () => {
  quire = await startQuireForBrowser()
})
afterAll(() => quire?.stop())

test('a notebook is made, written in, run, and found in the list', async () => {
  const page = await quire.newPage({ path: '/notebooks' })
  await page.getByText('There is no notebook yet.').waitFor()
  await expectAccessible(page)
  await lookAround(page, 'notebooks-none')
  await page.getByRole('button', { name: 'New notebook' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('first steps')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'first steps' }).waitFor()
  await page.getByText('This notebook has no cells yet.').waitFor()

  await page.getByRole('button', { name: 'Code' }).click()
  await codeOf(page, 1).pressSequentially('for i in range(3):')
  await codeOf(page, 1).press('Enter')
  await codeOf(page, 1).press('Tab')
  await codeOf(page, 1).pressSequentially('print("line", i)')
  await codeOf(page, 1).press('Shift+Enter')
  await codeOf(page, 2).fill('1 / 0')
  await codeOf(page, 2).press('Control+Enter')
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  const text = page.getByRole('textbox', { name: 'Cell 3, text' })
  await text.fill(`# Result\n\nIt is **done**, with $e_1 = m c^2$. ${HOSTILE}`)
  await text.press('Shift+Enter')
  await cellOf(page, 3).getByRole('heading', { name: 'Result' }).waitFor()
  await cellOf(page, 3).getByText('e_1 = m c^2', { exact: true }).waitFor()
  await cellOf(page, 1).getByText('line 0\nline 1\nline 2').waitFor(STARTING)
  await page.getByRole('region', { name: 'Cell 1, code, ran as 1' }).waitFor()
  await cellOf(page, 2).getByText('ZeroDivisionError: division by zero', { exact: false }).first().waitFor()
  await page.getByText(/· (?:idle|busy)$/).waitFor()
  await page.getByText('Saved').waitFor()
  await expectAccessible(page)
  expect(await page.getByRole('list', { name: 'Who is here' }).getByRole('listitem').count()).toBe(1)

  await page.getByRole('link', { name: 'Notebooks' }).first().click()
  await page.getByRole('link', { name: 'first steps' }).waitFor()
})

test('two browsers and an agent see what the others write and run, and where they are', async () => {
  const ada = await quire.newPage({ path: `/notebooks/${PATH}` })
  const bob = await quire.newPage({ path: `/notebooks/${PATH}`, theme: 'dark' })
  await codeOf(ada, 1).waitFor()
  await codeOf(bob, 1).waitFor()
  await bob.getByRole('button', { name: '(you): change your name' }).click()
  await bob.getByRole('textbox', { name: 'Name' }).fill(`Bob ${HOSTILE}`)
  await lookAround(bob, 'notebook-your-name')
  await bob.getByRole('button', { name: 'Use this name' }).click()
  const here = ada.getByRole('list', { name: 'Who is here' })
  await here.getByText('Bob', { exact: false }).waitFor()

  await codeOf(bob, 1).focus()
  await bob.keyboard.press('Control+End')
  await cellOf(ada, 1).getByText('Bob', { exact: false }).first().waitFor()
  await ada.locator('[data-caret^="Bob"]').waitFor({ state: 'attached' })
  await codeOf(ada, 1).focus()
  await ada.keyboard.press('Control+Home')
  const before = await codeOf(ada, 1).inputValue()
  await Promise.all([ada.keyboard.type('# from Ada\n'), bob.keyboard.type('\n# from Bob')])
  const both = `# from Ada\n${before}\n# from Bob`
  await expect.poll(() => codeOf(ada, 1).inputValue()).toBe(both)
  await expect.poll(() => codeOf(bob, 1).inputValue()).toBe(both)

  await codeOf(ada, 1).press('Control+Enter')
  for (const page of [ada, bob]) await cellOf(page, 1).getByText('[3]').waitFor()

  const agent = 'Data helper <b>'
  await callTool(quire, 'read_notebook', { notebook_name: PATH, response_format: 'detailed' }, agent)
  const edit = { notebook_name: PATH, cell_index: 1, cell_source: 'y = 3\nprint("y is", y)' }
  await callTool(quire, 'overwrite_cell_source', edit, agent)
  await expect.poll(() => codeOf(ada, 2).inputValue()).toBe(edit.cell_source)
  await here.getByText(agent).waitFor()
  await cellOf(ada, 2).getByText(agent).waitFor()
  await ada.locator(`[data-caret="${agent}"]`).waitFor({ state: 'attached' })
  await callTool(quire, 'execute_cell', { notebook_name: PATH, cell_index: 1 }, 'quire-runtime')
  await cellOf(ada, 2).getByText('Agent', { exact: true }).waitFor()
  await cellOf(bob, 2).getByText('y is 3', { exact: true }).waitFor()
  const wish = `call notebook__execute_cell with ${JSON.stringify({ notebook_name: PATH, cell_index: 0 })}`
  const prompted = await quire.fetch('/runtime/api/v1/agents/guide/prompt/sync', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: wish }),
  })
  expect(prompted.status).toBe(200)
  await cellOf(ada, 1).getByText('Guide', { exact: true }).waitFor()
  await expectAccessible(bob)
  await takeScreenshot(ada, 'notebook-agent-light')
  await takeScreenshot(bob, 'notebook-agent-dark')
})

test('a cell that runs for long outlasts a reload, is interrupted, and the kernel restarted', async () => {
  const page = await quire.newPage({ path: `/notebooks/${PATH}` })
  await codeOf(page, 1).fill(
    'import time\nkept = globals().get("kept", 0) + 1\nprint("kept", kept)\nfor i in range(1000):\n    print("tick", i)\n    time.sleep(0.05)',
  )
  await page.getByRole('button', { name: 'Run all' }).click()
  await cellOf(page, 1).getByText('runs').waitFor()
  await cellOf(page, 2).getByText('waits').waitFor()
  await cellOf(page, 1).getByText('kept 1', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Interrupt' }).click()
  await cellOf(page, 1).getByText('KeyboardInterrupt', { exact: false }).first().waitFor()
  await cellOf(page, 2).getByText('waits').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Run cell 1' }).click()
  await cellOf(page, 1).getByText('kept 2', { exact: false }).waitFor()
  await page.reload()
  await cellOf(page, 1).getByText('runs').waitFor()
  await cellOf(page, 1).getByText('tick 40', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Interrupt' }).click()
  await cellOf(page, 1).getByText('KeyboardInterrupt', { exact: false }).first().waitFor()
  await cellOf(page, 1).getByText('runs').waitFor({ state: 'detached' })

  await codeOf(page, 1).fill('kept = globals().get("kept", 0) + 1\nprint("now", kept)')
  await page.getByRole('button', { name: 'Restart' }).click()
  await expectAccessible(page)
  await lookAround(page, 'notebook-restart')
  await page.getByRole('button', { name: 'Restart and run all' }).click()
  await cellOf(page, 1).getByText('now 1', { exact: true }).waitFor(STARTING)
  await page.getByRole('region', { name: 'Cell 2, code, ran as 2' }).waitFor()
})

test('a server that starts again is found again, with what was written meanwhile', async () => {
  const page = await quire.newPage({ path: `/notebooks/${PATH}` })
  await codeOf(page, 1).fill('before = 1')
  await page.getByText('Saved').waitFor()
  await page.keyboard.press('Control+End')
  const isBack = quire.restart()
  await page.getByText('Connection lost', { exact: false }).waitFor()
  await page.keyboard.type('\nprint(before, "and after")')
  await codeOf(page, 1).press('Control+Enter')
  await cellOf(page, 1).getByRole('alert').getByText('nothing was run', { exact: false }).waitFor()
  await isBack
  await page.getByText('Saved').waitFor()
  await expect.poll(() => codeOf(page, 1).inputValue()).toBe('before = 1\nprint(before, "and after")')
  await codeOf(page, 1).press('Control+Enter')
  await cellOf(page, 1).getByText('1 and after', { exact: true }).waitFor(STARTING)
})
