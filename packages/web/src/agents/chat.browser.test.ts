import { createGate } from '@quire/testbed/model-peer/script'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failAt, lookAround, takeScreenshot } from '../browser.fixture.ts'
import { ask, type QuireWithModel, startQuireWithModel, toCall } from './agents.fixture.ts'
import { MARKDOWN } from './markdown.fixture.ts'
import { startWire } from './wire.fixture.ts'

const LONG = 'long '.repeat(2_000)

let app: QuireWithModel
beforeAll(async () => {
  app = await startQuireWithModel()
  await app.createAgent({ id: 'ada', name: 'Ada', description: 'Looks things up.' })
  await app.createAgent({ id: 'careful', name: 'Careful', tool_approval: true })
})
afterAll(() => app?.stop())

test('an answer is streamed as Markdown, stored, and listed', async () => {
  const gate = createGate()
  app.willAnswer({
    acts: [{ text: MARKDOWN.slice(0, 40) }, { gate }, { text: MARKDOWN.slice(40) }],
    usage: { input: 1_200, output: 64 },
  })
  const page = await app.quire.newPage({ path: '/agents/ada' })
  const box = page.getByLabel('Message to Ada')
  await box.fill('What is new?\nTell me.')
  await box.press('Enter')
  await page.getByRole('heading', { name: 'Findings' }).waitFor()
  expect(page.url()).toMatch(/\/agents\/ada\/c\/[0-9a-f]{24}$/)
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  gate.open()

  await page.getByRole('button', { name: 'Send' }).waitFor()
  const link = page.getByRole('link', { name: 'link', exact: true })
  expect(await link.getAttribute('rel')).toContain('noopener')
  expect(await page.getByRole('link', { name: 'a picture' }).getAttribute('href')).toContain('track.png')
  await page.getByRole('cell', { name: '7 h' }).waitFor()
  await page.getByText('<img src=x onerror=alert(1)></script>', { exact: false }).waitFor()
  expect(await page.locator('article img').count()).toBe(0)
  expect(await page.getByRole('link', { name: 'bad' }).count()).toBe(0)
  await page.getByTitle('Tokens of this answer').getByText('$').waitFor()
  await page.getByRole('button', { name: 'Copy python code' }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('print("hello")')
  const line = await page.getByRole('region', { name: 'code', exact: true }).boundingBox()
  const copy = await page.getByRole('button', { name: 'Copy code', exact: true }).boundingBox()
  expect(line && copy && copy.x >= line.x + line.width, 'the button is beside the code').toBe(true)
  await page.getByRole('navigation', { name: 'Conversations' }).getByText('What is new?').waitFor()
  await lookAround(page, 'chat')
})

test('tools are folded with their arguments, results and surfaces', async () => {
  app.willAnswer(
    {
      acts: ['hostile', 'picture', 'surface'].flatMap((name) => toCall(`sample__${name}`, '{"city":"Bern"}')),
    },
    { acts: [{ text: 'All of it is there.' }] },
  )
  const page = await app.quire.newPage({ path: '/agents/ada', theme: 'dark' })
  await ask(page, 'Ada', 'Use your tools')
  await page.getByText('All of it is there.').waitFor()

  await page.getByText('sample__hostile').click()
  await page.getByText('<img src=x onerror=alert(1)></script>', { exact: false }).first().waitFor()
  await page.getByText('sample__picture').click()
  await page.getByAltText('From the tool').waitFor()
  const surface = page.getByRole('region', { name: 'Surface' })
  await surface.getByText('Choose a city').waitFor()
  await surface.getByText('<img src=x onerror=alert(1)>').waitFor()
  await surface.getByLabel('City').fill('Thun')
  await lookAround(page, 'chat-tools')
})

test('a surface has all components of the basic catalog', async () => {
  app.willAnswer({ acts: toCall('sample__gallery', '{}') }, { acts: [{ text: 'A surface.' }] })
  const page = await app.quire.newPage({ path: '/agents/ada' })
  await ask(page, 'Ada', 'Show all')
  const surface = page.getByRole('region', { name: 'Surface' })
  await surface.getByText('A trip to Thun').waitFor()
  await surface.getByRole('img', { name: 'Place' }).waitFor()
  expect(await surface.getByLabel('Departure').inputValue()).toBe('2026-12-01T09:30')
  await surface.getByLabel('Days').fill('9')
  await surface.getByRole('status').getByText('9', { exact: true }).waitFor()
  await surface.getByText('Boat').click()
  expect(await surface.getByRole('radio', { name: 'Boat' }).isChecked()).toBe(true)
  expect(await surface.getByRole('radio', { name: 'Train' }).isChecked()).toBe(false)
  await surface.getByLabel('Filter Take along').fill('ro')
  await surface.getByRole('checkbox', { name: 'Map' }).waitFor({ state: 'detached' })
  await surface.getByRole('checkbox', { name: 'Rope' }).check()
  await surface.getByText('No address yet.').waitFor()
  await surface.getByLabel('E-mail').fill('ada@example.org')
  await surface.getByText('No address yet.').waitFor({ state: 'detached' })
  await surface.getByLabel('Send me news').check()
  await surface.scrollIntoViewIfNeeded()
  await lookAround(page, 'chat-surface')

  await surface.getByRole('tab', { name: 'When and how' }).press('ArrowRight')
  await surface.getByRole('tabpanel', { name: 'See and hear' }).getByAltText('A dot').waitFor()
  expect(await surface.getByRole('link', { name: 'The lake' }).getAttribute('href')).toContain(
    'pictures.example',
  )
  await surface.getByText('A song (cannot be shown here)').waitFor()
  await surface.getByRole('listitem').getByText('The old mill').waitFor()
  await takeScreenshot(page, 'chat-surface-media-light')
  await surface.getByRole('button', { name: 'Terms' }).click()
  await page.getByRole('dialog', { name: 'Terms' }).getByText('Trains may be').waitFor()
  await takeScreenshot(page, 'chat-surface-dialog-light')
  await page.keyboard.press('Escape')
  // It is said by a person, or not at all.
  await surface.getByRole('button', { name: 'Book' }).click()
  expect(await page.getByLabel('Message to Ada').inputValue()).toBe('I chose book: {"by":["Boat"],"days":9}')
})

test('a fault in a surface stays there', async () => {
  app.willAnswer(
    { acts: ['surface', 'gallery'].flatMap((name) => toCall(`sample__${name}`, '{}')) },
    { acts: [{ text: 'Two surfaces.' }] },
  )
  const page = await app.quire.newPage()
  await failAt(page, 'Choose a city')
  await page.goto(app.quire.addressOf('/agents/ada'))
  await ask(page, 'Ada', 'Show both')
  await page.getByText('Two surfaces.').waitFor()
  await page.getByText('This surface cannot be shown.').waitFor()
  await page.getByRole('region', { name: 'Surface' }).getByText('A trip to Thun').waitFor()
})

test('a surface that means no good does no harm', async () => {
  app.willAnswer({ acts: toCall('sample__trap', '{}') }, { acts: [{ text: 'A trap.' }] })
  const page = await app.quire.newPage({ path: '/agents/ada', width: 400 })
  await ask(page, 'Ada', 'Show it')
  const surface = page.getByRole('region', { name: 'Surface' })
  await surface.getByText('There is more on this surface than can be shown.').waitFor()
  await surface.getByText('<img src=x onerror=alert(1)></script>', { exact: false }).first().waitFor()
  await surface.getByText('<b>Rocket</b> cannot be shown here.').waitFor()
  expect(await surface.locator('img, script').count()).toBe(0)
  await surface.getByLabel('Endless').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400)
})

test('an app of a tool runs in a frame that reaches nothing, and calls tools through the page', async () => {
  app.willAnswer(
    {
      acts: [
        ...toCall('sample__app', '{}', 'call_app'),
        ...toCall('sample__forecast', '{}', 'call_forecast'),
      ],
    },
    { acts: [{ text: 'See the app.' }] },
  )
  const page = await app.quire.newPage({ path: '/agents/ada' })
  const called: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/mcp-ui/') && request.url().endsWith('/call')) called.push(request.url())
  })
  await ask(page, 'Ada', 'Show it')
  // One brought its page along, the other only says where it is.
  const frames = page.locator('iframe[title="App of sample"]')
  const questions = page.getByRole('group', { name: 'This app wants to call weather' })
  await questions.nth(1).waitFor()
  expect(called).toEqual([])
  for (const frame of [frames.first(), frames.nth(1)]) {
    expect(await frame.contentFrame().locator('#out').textContent()).toBe('waiting')
    await questions.first().getByRole('button', { name: 'Allow' }).click()
    await frame.contentFrame().getByText('Sunny in Uri, kept inside').waitFor()
  }
  expect(called).toHaveLength(2)
  expect(await questions.count()).toBe(0)
  await takeScreenshot(page, 'chat-app-light')
})

test('a call waits for a person, who changes, refuses and approves', async () => {
  app.willAnswer(
    {
      acts: [
        ...toCall('sample__weather', '{"city":"Bern"}', 'call_one'),
        ...toCall('sample__weather', '{"city":"Chur"}', 'call_two'),
      ],
    },
    { acts: [{ text: 'Thank you for deciding.' }] },
  )
  const page = await app.quire.newPage({ path: '/agents/careful' })
  await ask(page, 'Careful', 'Weather?')
  const asks = page.getByRole('region', { name: 'Decide on sample__weather' })
  await asks.nth(1).waitFor()
  await lookAround(page, 'chat-approval')
  await page.reload()
  await asks.nth(1).waitFor()
  await asks.first().getByRole('button', { name: 'Edit arguments' }).click()
  await asks.first().getByLabel('Arguments').fill('{"city":')
  await asks.first().getByText('This is no JSON').waitFor()
  await asks.first().getByLabel('Arguments').fill('{"city":"Thun"}')
  await asks.first().getByRole('button', { name: 'Approve with these' }).click()
  await page.getByText('Decided').waitFor()
  await asks.first().getByRole('button', { name: 'Refuse …' }).click()
  await asks.first().getByLabel('Reason').fill('Not today.')
  await asks.first().getByRole('button', { name: 'Refuse', exact: true }).click()
  await page.getByText('Thank you for deciding.').waitFor()
  await page.getByText('sample__weather').first().click()
  await page.getByText('Sunny in Thun').waitFor()
})

test('a turn is shown as a surface of A2UI, on which it can be decided', async () => {
  app.willAnswer(
    { acts: toCall('sample__weather', '{"city":"Bern"}') },
    { acts: [{ text: 'Decided on the surface.' }] },
  )
  const page = await app.quire.newPage({ path: '/agents/careful' })
  await ask(page, 'Careful', 'Weather?')
  await page.getByRole('region', { name: 'Decide on sample__weather' }).waitFor()
  await page.getByRole('link', { name: 'As A2UI' }).click()
  const surface = page.getByRole('region', { name: 'Surface' })
  await surface.getByText('Waits for your decision').waitFor()
  await lookAround(page, 'chat-a2ui')
  await surface.getByRole('button', { name: 'Approve' }).click()
  await surface.getByText('Decided on the surface.').waitFor()
  await page.getByRole('link', { name: 'As a chat' }).click()
  await page.getByRole('article').getByText('Decided on the surface.').waitFor()
})

test('a reload and a second tab join the turn that is under way', async () => {
  const gate = createGate()
  app.willAnswer({ acts: [{ text: 'First half, ' }, { gate }, { text: 'second half.' }] })
  const page = await app.quire.newPage({ path: '/agents/ada', width: 420 })
  await ask(page, 'Ada', LONG)
  await page.getByText('First half,').waitFor()
  await page.reload()
  await page.getByText('First half,').waitFor()
  const path = new URL(page.url()).pathname.replace('/ui', '')
  const other = await app.quire.newPage({ path })
  await other.getByText('First half,').waitFor()
  gate.open()
  await page.getByText('First half, second half.').waitFor()
  await other.getByText('First half, second half.').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420)

  app.willAnswer({ acts: [{ text: 'Said to one tab, seen in both.' }] })
  await ask(other, 'Ada', 'More')
  await page.getByText('Said to one tab, seen in both.').waitFor()
})

test('one conversation: cancelled, gone on with, failed, tried again, deleted', async () => {
  const gate = createGate()
  app.willAnswer(
    { acts: [{ text: 'I begin ' }, { gate }] },
    { acts: [{ text: 'and I end.' }] },
    { status: 400, body: { error: { message: 'The scripted model refuses <b>this</b>.' } } },
    { acts: [{ text: 'Now it works.' }] },
  )
  const page = await app.quire.newPage({ path: '/agents/ada' })
  const box = page.getByLabel('Message to Ada')
  await box.fill('Count')
  await box.press('Enter')
  await page.getByText('I begin').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('cancelled', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('and I end.').waitFor()
  gate.open()

  await page.getByRole('button', { name: 'Send' }).waitFor()
  await box.fill('Fail')
  await box.press('Enter')
  await page.getByRole('alert').getByText('refuses <b>this</b>', { exact: false }).waitFor()
  await lookAround(page, 'chat-failure')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Now it works.').waitFor()

  await page.getByRole('button', { name: 'Delete the conversation Count' }).click()
  await lookAround(page, 'chat-delete')
  await page.getByRole('button', { name: 'Delete it' }).click()
  await page.getByText('Talk to Ada').waitFor()
  await expect.poll(() => page.locator('main :focus').count()).toBe(1)
})

test('a link may propose a question, and does not ask it', async () => {
  const page = await app.quire.newPage({ path: '/agents/ada?ask=Make%20a%20notebook' })
  await expect.poll(() => page.getByLabel('Message to Ada').inputValue()).toBe('Make a notebook')
  await page.getByText('Talk to Ada').waitFor()
  await page.getByText('sample 8 tools').waitFor()
  await lookAround(page, 'chat-beginning')
})

test.each([
  ['an object', '{"toString":1,"length":9}'],
  ['a list', '["Delete","everything"]'],
  ['nothing', 'null'],
])('a link that proposes %s proposes nothing', async (_, value) => {
  const page = await app.quire.newPage({ path: `/agents/ada?ask=${encodeURIComponent(value)}` })
  await page.getByText('Talk to Ada').waitFor()
  expect(await page.getByLabel('Message to Ada').inputValue()).toBe('')
})

test('a server that starts again is found again, and the turn that it cut can be gone on with', async () => {
  const gate = createGate()
  app.willAnswer({ acts: [{ text: 'Said before, ' }, { gate }] }, { acts: [{ text: 'and said after.' }] })
  const page = await app.quire.newPage({ path: '/agents/ada' })
  await ask(page, 'Ada', 'Go on')
  await page.getByText('Said before,').waitFor()
  await app.quire.restart()
  await page.getByRole('button', { name: 'Continue' }).waitFor()
  await page.getByText('Said before,').waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('and said after.').waitFor()
  gate.open()
})

test('a connection that is lost comes back by itself, and nothing is missing', async () => {
  const gate = createGate()
  app.willAnswer({ acts: [{ text: 'Here is one, ' }, { gate }, { text: 'two, three.' }] })
  const wire = await startWire(Number(new URL(app.quire.url).port))
  const page = await app.quire.newPage()
  await page.goto(`${wire.url}/ui/agents/ada#token=${app.quire.token}`)
  await ask(page, 'Ada', 'Count')
  await page.getByText('Here is one,').waitFor()
  wire.cut()
  await page.getByText('The connection was lost.', { exact: false }).waitFor()
  await takeScreenshot(page, 'chat-away')
  gate.open()
  wire.mend()
  await page.getByText('Here is one, two, three.').waitFor()
  await page.getByText('The connection was lost.', { exact: false }).waitFor({ state: 'detached' })
})
