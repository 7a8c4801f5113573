import { CALLER } from '@quire/kit/app/service-env'
import type { Principal } from '@quire/kit/auth/principal'
import { expect, test } from 'vitest'
import { createInsideFetch, withOwnToolsets } from './own-toolsets.ts'

test('what goes to ourselves needs no socket, everything else goes out', async () => {
  const asked: string[] = []
  const fetchInside = createInsideFetch(
    (request, env) => {
      asked.push(`inside ${request.url} ${(env as { [CALLER]?: Principal })[CALLER]?.subject}`)
      return new Response('here')
    },
    async (url) => {
      asked.push(`outside ${url}`)
      return new Response('there')
    },
  )
  const own = withOwnToolsets(new Map(), { notebook: '/notebook/mcp' }).get('notebook')
  expect(own).toEqual({ type: 'http', url: 'http://localhost:0/notebook/mcp', headers: {} })
  const { url = '', headers = {} } = own?.type === 'http' ? own : {}
  expect(await (await fetchInside(url, { headers })).text()).toBe('here')
  expect(await (await fetchInside('http://localhost:80/notebook/mcp')).text()).toBe('there')
  expect(asked).toEqual([
    'inside http://localhost:0/notebook/mcp owner',
    'outside http://localhost:80/notebook/mcp',
  ])
})

test('who no longer listens ends the answer', async () => {
  let isCancelled = false
  const endless = () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.from('more ')),
      cancel() {
        isCancelled = true
      },
    })
  const leave = new AbortController()
  const fetchInside = createInsideFetch(() => new Response(endless()))
  const response = await fetchInside('http://localhost:0/x', { signal: leave.signal })
  const reader = response.body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  leave.abort()
  await expect(
    (async () => {
      while (!(await reader?.read())?.done);
    })(),
  ).rejects.toThrow()
  expect(isCancelled).toBe(true)
})

test('a file may say otherwise', () => {
  const mine = { type: 'http', url: 'http://other/mcp' } as const
  const toolsets = withOwnToolsets(new Map([['notebook', mine]]), { notebook: '/a', composer: '/b' })
  expect(toolsets.get('notebook')).toBe(mine)
  expect(toolsets.get('composer')).toEqual({ type: 'http', url: 'http://localhost:0/b', headers: {} })
})
