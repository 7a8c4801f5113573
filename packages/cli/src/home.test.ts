import { expect, test } from 'vitest'
import { createHome } from './home.ts'

const PAGES = { page: '<head><!--quire--></head>', files: new Map() }

test.each([
  [undefined, ''],
  ['https://example.org', ''],
  ['https://example.org/quire/', '/quire'],
])('with the public address %s the pages know where they and the services are', async (publicUrl, prefix) => {
  const home = createHome({ version: '1', ui: PAGES, publicUrl, app: {} })
  const front = await home.request('http://localhost/')
  expect([front.status, front.headers.get('location')]).toEqual([302, `${prefix}/ui/`])
  const page = await (await home.request('http://localhost/ui/agents/guide')).text()
  expect(page).toContain(`<base href="${prefix}/ui/">`)
  expect(page).toContain(`"teams":"${prefix}/teams"`)
})

test('where the pages are not built the front page says how to build them', async () => {
  const answer = await createHome({ version: '1', app: {} }).request('http://localhost/')
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('npm run build')])
})
