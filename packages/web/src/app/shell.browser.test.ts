import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  expectAccessible,
  lookAround,
  type QuireInBrowser,
  startQuireForBrowser,
  takeScreenshot,
} from '../browser.fixture.ts'

let quire: QuireInBrowser
beforeAll(async () => {
  quire = await startQuireForBrowser({ args: ['--insecure-noauth'] })
})
afterAll(() => quire?.stop())

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const theme = (page: Page) => page.locator('html').getAttribute('data-theme')
const focused = (page: Page) => page.locator(':focus')

test('nobody is asked where no token is needed; the keyboard reaches all, and sees where it is', async () => {
  const page = await quire.newPage({ path: '/agents' })
  await heading(page, 'Agents').waitFor()
  expect(await page.getByRole('button', { name: 'Forget the token' }).count()).toBe(0)
  await page.keyboard.press('Tab')
  expect(await focused(page).innerText()).toBe('Skip to the content')
  expect(await focused(page).evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid')
  await takeScreenshot(page, 'skip-light')
  await page.keyboard.press('Enter')
  expect(await focused(page).getAttribute('id')).toBe('content')
  expect(page.url()).toBe(quire.addressOf('/agents'))
  await page.keyboard.press('Shift+Tab')
  expect(await focused(page).getAttribute('aria-label')).toBe('Dark theme')

  await page.reload()
  await heading(page, 'Agents').waitFor()
  const reached: string[] = []
  for (let times = 0; times < 14; times += 1) {
    await page.keyboard.press('Tab')
    reached.push(await focused(page).innerText())
  }
  expect(reached.slice(0, 6)).toEqual([
    'Skip to the content',
    'Quire',
    'Home',
    'Agents',
    'Teams',
    'Notebooks',
  ])
  expect(reached.slice(-2)).toEqual(['Configuration', ''])
})

test('the theme is the system’s until one is chosen, and the choice lasts', async () => {
  const page = await quire.newPage({ path: '/nothing/of/the/kind', theme: 'dark' })
  await heading(page, 'Nothing is here').waitFor()
  expect(await theme(page)).toBe('dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(() => theme(page)).toBe('light')
  await lookAround(page, 'unknown')
  await page.getByRole('button', { name: 'Dark theme' }).click()
  expect(await theme(page)).toBe('dark')
  await page.reload()
  await heading(page, 'Nothing is here').waitFor()
  expect(await theme(page)).toBe('dark')
  await page.getByRole('link', { name: 'Go to the first page' }).click()
  await heading(page, 'Welcome to Quire').waitFor()
})

test('on a phone the pages are behind a menu, which Escape closes', async () => {
  const page = await quire.newPage({ width: 420, theme: 'dark' })
  await heading(page, 'Welcome to Quire').waitFor()
  const menu = page.getByRole('button', { name: 'Menu' })
  const pages = page.getByRole('navigation', { name: 'Pages' })
  expect(await pages.isVisible()).toBe(false)
  await menu.click()
  await pages.waitFor()
  expect(await menu.getAttribute('aria-expanded')).toBe('true')
  await expectAccessible(page)
  await takeScreenshot(page, 'menu-dark-phone')
  await page.keyboard.press('Escape')
  await pages.waitFor({ state: 'hidden' })
  expect(await focused(page).getAttribute('aria-label')).toBe('Menu')
  await menu.click()
  await pages.getByRole('link', { name: 'Teams' }).click()
  await heading(page, 'Teams').waitFor()
  await pages.waitFor({ state: 'hidden' })
  expect(await focused(page).getAttribute('id')).toBe('content')
})

test('every page says when the server is away, loses nothing that was typed, and comes back by itself', async () => {
  const page = await quire.newPage({ path: '/teams/new' })
  await page.getByLabel('Name').first().fill('Those who wait')
  const list = await page.context().newPage()
  await list.goto(quire.addressOf('/teams'))
  await list.getByRole('link', { name: 'First team' }).waitFor()
  const banner = (one: Page) => one.getByText('The server does not answer.')

  await quire.restart(async () => {
    await banner(page).waitFor()
    await banner(list).waitFor()
    await lookAround(page, 'away')
    // What was not loaded before is waited for, and the page that is left stays until then.
    await list.getByRole('navigation').getByRole('link', { name: 'Translators' }).click()
    await list.getByRole('link', { name: 'First team' }).waitFor()
    expect(await list.getByRole('alert').count()).toBe(0)
  })

  await heading(list, 'Translators').waitFor()
  await banner(page).waitFor({ state: 'detached' })
  expect(await page.getByLabel('Name').first().inputValue()).toBe('Those who wait')
  await page.getByRole('button', { name: 'Make the team' }).click()
  await heading(page, 'Those who wait').waitFor()
})
