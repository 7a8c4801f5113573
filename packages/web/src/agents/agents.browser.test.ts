import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerQuestions, lookAround } from '../browser.fixture.ts'
import { type QuireWithModel, startQuireWithModel } from './agents.fixture.ts'

const HOSTILE = '<img src=x onerror=alert(1)></script>\u202eevil'

interface OpenApi {
  readonly info: { readonly description: string }
}

let app: QuireWithModel
beforeAll(async () => {
  app = await startQuireWithModel()
})
afterAll(() => app?.stop())

test('an agent is made, changed and deleted', async () => {
  const page = await app.quire.newPage({ path: '/agents' })
  const hint = page.getByRole('region', { name: 'Use a language model' })
  await hint.getByText('ANTHROPIC_API_KEY').waitFor()
  await page.getByText('sample 8 tools').waitFor()
  await lookAround(page, 'agents-first')
  await page.getByRole('button', { name: 'New agent' }).click()
  const dialog = page.getByRole('dialog')
  expect(page.url()).toContain('new=true')
  await dialog.getByLabel('Name').fill('Analyst')
  await dialog.getByLabel('Model').fill('anthropic:claude')
  await dialog.getByText('ANTHROPIC_API_KEY').waitFor()
  await dialog.getByLabel('Model').fill('openai:gpt-5')
  await dialog.getByLabel('Description').fill(HOSTILE)
  await dialog.getByLabel('System prompt').fill('Answer briefly.')
  await dialog.getByLabel('sample').check()
  await lookAround(page, 'agents-new')
  await dialog.getByRole('button', { name: 'Make the agent' }).click()

  const card = page.getByRole('region', { name: 'Analyst' })
  await card.getByText('sample 8 tools').waitFor()
  await card.getByText(HOSTILE).waitFor()
  await hint.waitFor({ state: 'detached' })
  await lookAround(page, 'agents')

  await card.getByRole('button', { name: 'Edit Analyst' }).click()
  await dialog.getByLabel('Steps at the most').fill('7')
  await dialog.getByLabel('Ask me before').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await card.getByText('Asks before each call').waitFor()

  await card.getByRole('button', { name: 'Delete Analyst' }).click()
  await lookAround(page, 'agents-delete')
  await page.getByRole('button', { name: 'Delete the agent' }).click()
  await card.waitFor({ state: 'detached' })
  // Those who cannot see it hear of it, and are where they were.
  await page.getByRole('status').getByText('Analyst was deleted.').waitFor()
  expect(await page.locator('li :focus').count()).toBe(1)
})

test('what was written in a dialog is thrown away only when that is said', async () => {
  const page = await app.quire.newPage({ path: '/agents' })
  const answers = answerQuestions(page)
  const dialog = page.getByRole('dialog')
  const open = page.getByRole('button', { name: 'New agent' })
  await open.click()
  await dialog.getByLabel('Name').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => open.evaluate((button) => button === document.activeElement)).toBe(true)

  await open.click()
  const name = dialog.getByLabel('Name')
  await name.fill('Half')
  await page.keyboard.press('Escape')
  await dialog.getByText('Throw away what you have written here?').waitFor()
  await lookAround(page, 'agents-unsent')
  // A browser closes a dialog at the second one, whatever it is told.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Go on writing' }).click()
  expect(await name.inputValue()).toBe('Half')
  await page.goBack()
  await expect.poll(() => answers.asked).toEqual(['confirm'])
  expect(await name.inputValue()).toBe('Half')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.getByRole('button', { name: 'Throw it away' }).click()
  await dialog.waitFor({ state: 'detached' })
  await open.click()
  expect(await name.inputValue()).toBe('')
  expect(answers.asked).toEqual(['confirm'])
})

test('what the service finds wrong stands at its field, and what is not there is told of in its words', async () => {
  const page = await app.quire.newPage({ path: '/agents?new=true', theme: 'dark' })
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('A')
  await dialog.getByLabel('Model').fill('no provider')
  await dialog.getByRole('button', { name: 'Make the agent' }).click()
  await dialog.getByText('must be "provider:model"', { exact: false }).first().waitFor()
  await page.goto(app.quire.addressOf('/agents/nobody'))
  await page.getByRole('alert').getByText('nobody', { exact: false }).waitFor()
})

test('a model without its key says what to do, before and after it is asked', async () => {
  await app.createAgent({ id: 'keyless', name: 'Keyless', model: 'anthropic:claude-sonnet-4-5' })
  const page = await app.quire.newPage({ path: '/agents' })
  const card = page.getByRole('region', { name: 'Keyless' })
  await card.getByText('It needs a key: ANTHROPIC_API_KEY').waitFor()
  await card.getByRole('link', { name: 'Talk' }).click()
  await page.getByRole('note').getByText('ANTHROPIC_API_KEY').waitFor()
  await page.getByLabel('Message to Keyless').fill('Hello')
  await page.getByLabel('Message to Keyless').press('Enter')
  const failure = page.getByRole('alert')
  await failure.getByText('set ANTHROPIC_API_KEY in the environment', { exact: false }).waitFor()
  await lookAround(page, 'chat-keyless')
  const address = await failure.getByRole('link', { name: 'How models are set up' }).getAttribute('href')
  expect(address).toBe('/runtime/redoc#section/Models')
  const { info } = (await (await app.quire.fetch('/runtime/openapi.json')).json()) as OpenApi
  expect(info.description).toContain('| `anthropic` | `ANTHROPIC_API_KEY` |')
})
