import type { Task, Team } from '@quire/teams/contract'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  answerQuestions,
  lookAround,
  type QuireInBrowser,
  startQuireForBrowser,
  takeScreenshot,
} from '../browser.fixture.ts'

const HOSTILE =
  '<img src=x onerror="window.wasRun=1"></script><script>window.wasRun=1</script> \u202Etxt.exe\u202C'
const LONG = 'long '.repeat(2_000)
/** What rules can do without a model. */
const DOABLE = 'List tools.'

let quire: QuireInBrowser
beforeAll(async () => {
  quire = await startQuireForBrowser()
})
afterAll(() => quire?.stop())

async function post<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await quire.fetch(`/teams${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(response.ok, `POST ${path}`).toBe(true)
  return (await response.json()) as Answer
}

function makeTeam(name: string, more: object = {}): Promise<Team> {
  return post('/teams', {
    name,
    execution_mode: 'parallel',
    members: [{ name: 'Ada' }, { name: 'Bob' }],
    ...more,
  })
}

function giveTask(team: Team, title: string, more: object = {}): Promise<Task> {
  return post(`/teams/${team.team_id}/tasks`, { title, description: DOABLE, ...more })
}

async function expectNothingSidewards(page: Page): Promise<void> {
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(beyond, 'pixels beyond the right edge').toBeLessThanOrEqual(0)
}

test('a team is made, gets a task, does it, and is deleted', async () => {
  const page = await quire.newPage({ path: '/teams' })
  await page.getByRole('link', { name: 'New team' }).click()
  const answers = answerQuestions(page)
  await page.getByRole('link', { name: 'Leave it' }).click()
  await page.getByRole('link', { name: 'New team' }).click()
  await page.getByLabel('Name').first().fill('Painters')
  await page.getByRole('link', { name: 'Leave it' }).click()
  await expect.poll(() => answers.asked).toEqual(['confirm'])
  await page.getByRole('radio', { name: /Supervisor/ }).check()
  await page.getByRole('button', { name: 'Make the team' }).click()
  // In the words of the service, at the field that it is about.
  await page.getByText('is missing: in the mode "supervisor"').first().waitFor()
  await page.getByLabel('Supervisor *').selectOption('Bob')
  await page.getByLabel(/Results go through review/).check()
  await page.getByLabel('Tokens at most').fill('100000')
  // What the runtime beside it offers.
  const ada = page.getByRole('group', { name: 'Member 1' })
  await ada.getByRole('checkbox', { name: 'notebook' }).check()
  await ada.getByLabel('Model').fill('openai:gpt-5.4')
  await ada.getByText('Needs OPENAI_API_KEY at the server').waitFor()
  const offered = await ada
    .locator('datalist option')
    .evaluateAll((all) => all.map((one) => one.getAttribute('value')))
  expect(offered).toContain('builtin:guide')
  await ada.getByLabel('Model').fill('builtin:guide')
  await page.getByRole('button', { name: 'Make the team' }).click()
  await page.getByRole('heading', { level: 1, name: 'Painters' }).waitFor()
  expect(await page.title()).toBe('Painters · Quire')
  const [made] = (await (await quire.fetch('/teams/teams?offset=1')).json()) as Team[]
  const { members } = (await (await quire.fetch(`/teams/teams/${made?.team_id}`)).json()) as Team
  expect(members[0]).toMatchObject({ model: 'builtin:guide', mcp_toolsets: ['notebook'] })
  await page.getByText('The team has no task yet.').waitFor()
  await lookAround(page, 'team-no-task')

  await page.getByRole('button', { name: 'New task' }).click()
  await page.getByLabel('Title *').fill('Paint the fence')
  await page.getByLabel('Description').fill(DOABLE)
  await page.getByLabel('Priority').selectOption('Critical')
  await page.getByRole('button', { name: 'Give it to the team' }).click()
  const waiting = page.getByRole('region', { name: 'Waiting' })
  await waiting.getByText('Paint the fence').waitFor()
  await waiting.getByText('The team has not been started').waitFor()
  await expect.poll(() => page.getByRole('button', { name: /^(Pause|Resume|Stop)$/ }).count()).toBe(0)

  await page.getByRole('button', { name: 'Start' }).click()
  const completed = page.getByRole('region', { name: 'Completed' })
  await completed.getByRole('link', { name: 'Paint the fence' }).click()
  const detail = page.getByRole('dialog', { name: 'Paint the fence' })
  await detail.getByRole('heading', { name: 'Result' }).waitFor()
  await detail.getByText('Checked by a rule only').waitFor()
  await detail.getByText(DOABLE, { exact: true }).waitFor()
  expect(page.url()).toMatch(/\?task=/)
  await lookAround(page, 'team-task')
  await page.reload()
  await detail.waitFor()
  await page.keyboard.press('Escape')
  await detail.waitFor({ state: 'detached' })

  const feed = page.getByRole('region', { name: 'Events' })
  await feed.getByText('The team was started').waitFor()
  await feed.getByText('handed it in for review').waitFor()
  await page.getByRole('progressbar', { name: 'Budget of tokens' }).waitFor()
  await page
    .getByRole('region', { name: 'Members' })
    .getByRole('link', { name: /Paint the fence: review/ })
    .waitFor()

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Start' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await lookAround(page, 'team-delete')
  await page.getByRole('button', { name: 'Delete the team' }).click()
  await page.locator('h1:focus', { hasText: 'Teams' }).waitFor()
  await page.getByRole('status').getByText('Painters was deleted.').waitFor()
  expect(answers.asked).toEqual(['confirm'])
  await expect.poll(() => page.getByRole('link', { name: 'Painters' }).count()).toBe(0)
})

test('a task says why it waits, can be cancelled, and be tried again', async () => {
  const team = await makeTeam('Patient')
  const first = await giveTask(team, 'The first')
  await giveTask(team, 'The second', { depends_on: [first.task_id] })
  await post(`/teams/${team.team_id}/tasks/${first.task_id}/cancel`)
  const page = await quire.newPage({ path: `/teams/${team.team_id}?task=${first.task_id}` })
  const detail = page.getByRole('dialog', { name: 'The first' })
  await detail.getByText('Cancelled', { exact: true }).waitFor()
  await detail.getByRole('button', { name: 'Try it again' }).click()
  await detail.getByRole('button', { name: 'Cancel the task' }).waitFor()
  await page.keyboard.press('Escape')
  const { waiting_for } = (await (await quire.fetch(`/teams/teams/${team.team_id}/tasks`)).json())[1] as Task
  await page
    .getByRole('region', { name: 'Waiting' })
    .getByText(waiting_for ?? 'no reason')
    .first()
    .waitFor()
})

test('a spent budget pauses a team, and a higher one lets it go on', async () => {
  const team = await makeTeam('Thrifty', { execution_mode: 'sequential', budget: { max_tokens: 1 } })
  await giveTask(team, 'One')
  await giveTask(team, 'Two')
  await post(`/teams/${team.team_id}/start`)
  const page = await quire.newPage({ path: `/teams/${team.team_id}` })
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  await page
    .getByRole('region', { name: 'State' })
    .getByText(/budget/i)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Change the budget' }).click()
  await page.getByLabel('Tokens at most').fill('500000')
  await lookAround(page, 'team-budget')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/of 500,000 tokens/).waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('2 of 2 tasks completed').waitFor()
})

test('events go on after the server was started again, each once', async () => {
  const team = await makeTeam('Lasting')
  const page = await quire.newPage({ path: `/teams/${team.team_id}` })
  const feed = page.getByRole('region', { name: 'Events' })
  await feed.getByText('Live').waitFor()
  await quire.restart()
  await giveTask(team, 'After the restart')
  await feed.getByText('After the restart').waitFor()
  await feed.getByText('Live').waitFor()
  expect(await feed.getByText('The team was made').count()).toBe(1)
  expect(await feed.getByText('New task').count()).toBe(1)
})

test('what people and models write is shown as it is written', async () => {
  const team = await makeTeam(`Odd ${HOSTILE}`.slice(0, 100), {
    description: HOSTILE + LONG,
    members: [{ name: `M ${HOSTILE}`.slice(0, 100), system_prompt: HOSTILE }],
  })
  const task = await giveTask(team, `T ${HOSTILE}${LONG}`.slice(0, 500), {
    description: `${DOABLE}\n${HOSTILE}${LONG}`,
  })
  await post(`/teams/${team.team_id}/start`)
  const page = await quire.newPage({ path: `/teams/${team.team_id}?task=${task.task_id}`, width: 420 })
  await page.getByRole('dialog').getByRole('heading', { name: 'Result' }).waitFor()
  await page.getByRole('dialog').getByText('<img src=x onerror="window.wasRun=1">').first().waitFor()
  await takeScreenshot(page, 'team-hostile-light-phone')
  await expectNothingSidewards(page)
  await page.keyboard.press('Escape')
  await expectNothingSidewards(page)
  await page.goto(quire.addressOf('/teams'))
  await page.getByRole('link', { name: /Odd <img/ }).waitFor()
  await expectNothingSidewards(page)
  expect(await page.evaluate(() => 'wasRun' in window)).toBe(false)
  expect(await page.locator('img[src=x]').count()).toBe(0)
})

test('the pages of teams can be used by everybody', async () => {
  const team = await makeTeam('Writers', {
    description: 'They write about pencils.',
    supervisor: { member_name: 'Ada', review_required: true },
    budget: { max_tokens: 50_000 },
  })
  const first = await giveTask(team, 'Find three sources')
  await giveTask(team, 'Write a page about pencils', { priority: 'high', depends_on: [first.task_id] })
  await post(`/teams/${team.team_id}/start`)
  const page = await quire.newPage({ path: `/teams/${team.team_id}` })
  await page.getByText('2 of 2 tasks completed').waitFor()
  await post(`/teams/${team.team_id}/pause`)
  await giveTask(team, 'Draw one', { priority: 'low', assigned_to: 'Bob' })
  const waiting = page.getByRole('region', { name: 'Waiting' })
  await waiting.getByText('Draw one').waitFor()
  await lookAround(page, 'team')
  await page.getByRole('button', { name: 'New task' }).click()
  await lookAround(page, 'team-new-task')
  for (const [path, name] of [
    ['/teams', 'Teams'],
    ['/teams/new', 'New team'],
  ] as const) {
    await page.goto(quire.addressOf(path))
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await lookAround(page, name.toLowerCase().replace(' ', '-'))
  }
})

test('an address of no team says so', async () => {
  const page = await quire.newPage({ path: '/teams/no-such-team' })
  await page
    .getByRole('alert')
    .getByText(/no team/i)
    .waitFor()
  await lookAround(page, 'team-unknown')
})
