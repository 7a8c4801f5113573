import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  answerQuestions,
  expectAccessible,
  lookAround,
  type QuireInBrowser,
  startQuireForBrowser,
  takeScreenshot,
} from '../browser.fixture.ts'

const SAMPLE = fileURLToPath(new URL('sample-server.fixture.ts', import.meta.url))
const CONFIG = `# About this place
[composer]
name = "here"

[[servers.proxied.stdio]]
name = "one"
command = ${JSON.stringify([process.execPath, SAMPLE])}
env = { API_TOKEN = "kept-secret" }

[[servers.proxied.stdio]]
name = "two"
command = ${JSON.stringify([process.execPath, SAMPLE])}
`

let quire: QuireInBrowser
beforeAll(async () => {
  quire = await startQuireForBrowser({ kind: 'composer', config: CONFIG })
})
afterAll(() => quire?.stop())

const readFileText = () => readFile(join(quire.folder, 'quire.toml'), 'utf8')

test('faults are told while one types, each with its line', async () => {
  const page = await quire.newPage({ path: '/configuration' })
  const editor = page.getByRole('textbox', { name: 'Configuration as TOML' })
  const text = await editor.inputValue()
  expect(text).not.toContain('kept-secret')
  await editor.fill(text.replace('name = "here"', 'naem = "here"'))
  await page.getByText(/did you mean "name"/).waitFor()
  expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Line 3' }).click()
  const selected = await editor.evaluate((area: HTMLTextAreaElement) =>
    area.value.slice(area.selectionStart, area.selectionEnd),
  )
  expect(selected).toBe('naem = "here"')
  await expectAccessible(page)
  await takeScreenshot(page, 'composer-configuration-light')
  await editor.fill(`${text}\n[`)
  await page.getByText(/is not valid TOML/).waitFor()
  await page.getByRole('button', { name: `Line ${text.split('\n').length + 1}, column 2` }).waitFor()
  await page.getByRole('button', { name: 'Undo all' }).click()
  expect(await editor.inputValue()).toBe(text)
})

test('a change is looked at, saved and applied; comments and secrets stay', async () => {
  const page = await quire.newPage({ path: '/configuration', theme: 'dark' })
  const editor = page.getByRole('textbox', { name: 'Configuration as TOML' })
  const text = await editor.inputValue()
  await editor.fill(
    text
      .replace('name = "two"', 'name = "two"\nmax_restarts = 2')
      .replace('name = "here"', 'name = "here"\nlog_level = "debug"'),
  )
  await page.getByRole('button', { name: 'Review and save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save the configuration?' })
  await dialog.getByRole('region', { name: 'What changes' }).getByText('max_restarts = 2').waitFor()
  const foreseen = [
    'Started again: two',
    'Takes effect when the composer is started again: composer.log_level',
  ]
  for (const consequence of foreseen) await dialog.getByText(consequence).waitFor()
  await lookAround(page, 'composer-configuration-save')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const applied = page.getByRole('status').filter({ hasText: 'Saved and applied' })
  for (const consequence of foreseen) await applied.getByText(consequence).waitFor()
  const written = await readFileText()
  expect(written).toContain('max_restarts = 2')
  expect(written).toContain('# About this place')
  expect(written).toContain('kept-secret')
  expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true)
})

test('two who edit at once do not overwrite each other unawares', async () => {
  const [mine, theirs] = await Promise.all([
    quire.newPage({ path: '/configuration' }),
    quire.newPage({ path: '/configuration' }),
  ])
  const myEditor = mine.getByRole('textbox', { name: 'Configuration as TOML' })
  const theirEditor = theirs.getByRole('textbox', { name: 'Configuration as TOML' })
  const text = await myEditor.inputValue()
  await myEditor.fill(text.replace('"here"', '"mine"'))
  await theirEditor.fill(text.replace('# About this place', '# About their place'))
  await theirs.getByRole('button', { name: 'Review and save' }).click()
  await theirs.getByRole('button', { name: 'Save', exact: true }).click()
  await theirs.getByText('No server was touched.').waitFor()
  const alert = mine.getByRole('alert')
  await alert.getByText('Somebody else has saved the configuration.').waitFor()
  await alert.getByRole('button', { name: 'What they changed' }).click()
  await alert.getByText('# About their place').waitFor()
  await takeScreenshot(mine, 'composer-configuration-conflict-light')
  await alert.getByRole('button', { name: 'Take theirs, drop mine' }).click()
  await alert.waitFor({ state: 'detached' })
  expect(await myEditor.inputValue()).toBe(text.replace('# About this place', '# About their place'))

  await theirEditor.fill(text.replace('"here"', '"theirs"'))
  await myEditor.fill(text.replace('"here"', '"mine"'))
  await mine.getByRole('button', { name: 'Review and save' }).click()
  await theirs.getByRole('button', { name: 'Review and save' }).click()
  await theirs.getByRole('button', { name: 'Save', exact: true }).click()
  await theirs.getByText('Saved and applied').waitFor()
  await mine.getByRole('button', { name: 'Save', exact: true }).click()
  await mine.getByRole('dialog').getByText('The configuration has changed since you read it.').waitFor()
  expect(await readFileText()).toContain('"theirs"')
  await mine.getByRole('button', { name: 'Go on editing' }).click()
  await mine.getByRole('button', { name: 'Go on with mine' }).click()
  await mine.getByRole('button', { name: 'Review and save' }).click()
  await mine.getByRole('button', { name: 'Save', exact: true }).click()
  await mine.getByText('Saved and applied').waitFor()
  expect(await readFileText()).toContain('"mine"')
})

test('what the service would refuse to save is told while one types, in its own words', async () => {
  const page = await quire.newPage({ path: '/configuration', width: 420 })
  const editor = page.getByRole('textbox', { name: 'Configuration as TOML' })
  const before = await readFileText()
  await editor.fill(
    `${await editor.inputValue()}\n[[servers.proxied.stdio]]\nname = "new"\ncommand = ["/bin/other"]\n`,
  )
  await page
    .getByRole('status')
    .getByText(/whose program is not allowed over the API/)
    .waitFor()
  expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true)
  expect(await readFileText()).toBe(before)
})

test('whoever leaves is asked first where something was changed, and only there', async () => {
  const page = await quire.newPage({ path: '/configuration' })
  const answers = answerQuestions(page)
  const editor = page.getByRole('textbox', { name: 'Configuration as TOML' })
  const text = await editor.inputValue()
  const logs = page.getByRole('link', { name: 'Logs' })
  await editor.fill(`${text}\n# unsaved\n`)
  await logs.click()
  await expect.poll(() => answers.asked).toEqual(['confirm'])
  await editor.press('End')
  await page.evaluate('setTimeout(() => location.reload())')
  await expect.poll(() => answers.asked).toEqual(['confirm', 'beforeunload'])
  expect(await editor.inputValue()).toContain('# unsaved')
  await page.getByRole('button', { name: 'Undo all' }).click()
  await logs.click()
  await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
  await page.goBack()
  await editor.fill(`${text}\n# unsaved\n`)
  answers.isAccepting = true
  await logs.click()
  await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
  expect(answers.asked).toEqual(['confirm', 'beforeunload', 'confirm'])
})

test('the file is read again after somebody has edited it', async () => {
  const page = await quire.newPage({ path: '/configuration' })
  const editor = page.getByRole('textbox', { name: 'Configuration as TOML' })
  await editor.waitFor()
  await appendFile(join(quire.folder, 'quire.toml'), '\n# by hand\n')
  await page.getByRole('button', { name: 'Read the file again' }).click()
  await page.getByText('The file was read again').waitFor()
  await expect.poll(() => editor.inputValue()).toContain('# by hand')
})
