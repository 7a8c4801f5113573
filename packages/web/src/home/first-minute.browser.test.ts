import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lookAround, type QuireInBrowser, startQuireForBrowser, takeScreenshot } from '../browser.fixture.ts'

let quire: QuireInBrowser
beforeAll(async () => {
  quire = await startQuireForBrowser()
})
afterAll(() => quire?.stop())

const nextStep = (page: Page) => page.locator('li[aria-current=step]')
const figure = (page: Page, label: string) => page.getByRole('main').getByRole('link', { name: label })

test('whoever has never seen it makes a notebook, sees its output, and learns where a key goes', async () => {
  const page = await quire.newPage({ isSignedIn: false })
  // As the terminal prints it.
  await page.goto(`${quire.url}/#token=${quire.token}`)
  await nextStep(page).getByText('Ask the guide to make a notebook').waitFor()
  await figure(page, 'Notebooks 0').waitFor()
  await figure(page, 'Agents 1').waitFor()
  await lookAround(page, 'home-fresh')

  await page.getByRole('link', { name: 'Ask the guide' }).click()
  const strip = page.getByRole('region', { name: 'Your first minute' })
  await strip.getByText('Press Enter to send it').waitFor()
  await expect.poll(() => page.getByRole('textbox').inputValue()).toContain('create a notebook first.ipynb')
  await lookAround(page, 'first-minute-asked')
  await page.keyboard.press('Enter')

  await strip.getByRole('link', { name: 'Open the notebook' }).waitFor()
  await takeScreenshot(page, 'first-minute-answered-light')
  await strip.getByRole('link', { name: 'Open the notebook' }).click()
  await page.getByText('Hello from an agent 42').waitFor()
  await lookAround(page, 'first-minute-notebook')

  await strip.getByRole('link', { name: 'The last step' }).click()
  await nextStep(page).getByText('Give your agents a model').waitFor()
  const { models } = (await (await quire.fetch('/runtime/api/v1/configure/config')).json()) as {
    models: { requires: string[] }[]
  }
  const [setting = 'none'] = models.flatMap(({ requires }) => requires)
  await nextStep(page).getByText(`${setting}="your key" npm start`).waitFor()
  await figure(page, 'Notebooks 1').waitFor()
  await lookAround(page, 'home-last-step')
})

test('who comes back later is led to what is there, and may leave the first minute', async () => {
  const page = await quire.newPage({ width: 420, theme: 'dark' })
  await nextStep(page).getByRole('link', { name: 'Open first.ipynb' }).click()
  const strip = page.getByRole('region', { name: 'Your first minute' })
  await strip.getByRole('link', { name: 'The last step' }).waitFor()
  await page.getByText('Hello from an agent 42').waitFor()
  await strip.getByRole('button', { name: 'Leave the first minute' }).click()
  await strip.waitFor({ state: 'detached' })
})
