import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { YNotebook } from '@jupyter/ydoc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { liveServers, notebookOf } from './live-servers.fixture.ts'
import { joinLive, knock, READER, startService, TOKEN } from './notebook-live.fixture.ts'

const MIB = 1024 * 1024

describe.each(Object.entries(liveServers))('the door of /live, on %s', (_name, start) => {
  let server: Awaited<ReturnType<typeof start>>
  let service: Awaited<ReturnType<typeof startService>>
  beforeAll(async () => {
    server = await start()
    service = await startService(server)
    await mkdir(join(server.root, 'folder.ipynb'))
    await writeFile(join(server.root, 'text.txt'), 'text')
    await writeFile(join(server.root, 'broken.ipynb'), '{"nbformat": 4')
    for (const name of ['n', 'other'])
      await writeFile(join(server.root, `${name}.ipynb`), JSON.stringify(notebookOf(['a'])))
  })
  afterAll(async () => {
    await service?.stop()
    await server?.stop()
  })

  const target = '/live/n.ipynb'
  test.each([
    ['no token', {}, 401],
    ['a wrong token', { token: 'wrong' }, 401],
    ['a token in the address', { token: TOKEN, target: `${target}?token=${TOKEN}` }, 400],
    ['a token that may only read', { token: READER }, 403],
    ['a foreign Origin', { token: TOKEN, headers: { origin: 'https://evil.example' } }, 403],
    ['an odd Host', { token: TOKEN, headers: { host: 'evil.example' } }, 421],
    ['a way up', { token: TOKEN, target: '/live/../live/n.ipynb' }, 400],
    ['an encoded way up', { token: TOKEN, target: '/live/%2e%2e/n.ipynb' }, 400],
    ['an encoded slash', { token: TOKEN, target: '/live/a%2f..%2fn.ipynb' }, 400],
    ['a zero byte', { token: TOKEN, target: '/live/n%00.ipynb' }, 400],
    ['a backslash', { token: TOKEN, target: '/live/a%5cn.ipynb' }, 400],
    ['a bare backslash, which no mount takes', { token: TOKEN, target: '/live/a\\n.ipynb' }, 404],
    ['an empty segment', { token: TOKEN, target: '/live//n.ipynb' }, 400],
    ['a way up that was encoded twice', { token: TOKEN, target: '/live/%252e%252e/n.ipynb' }, 4400],
    ['the root', { token: TOKEN, target: '/live/' }, 4400],
    ['a notebook that is not there', { token: TOKEN, target: '/live/none.ipynb' }, 4404],
    ['a folder', { token: TOKEN, target: '/live/folder.ipynb' }, 4400],
    ['a file that is no notebook', { token: TOKEN, target: '/live/text.txt' }, 4400],
  ])('%s', async (_what, options, expected) => {
    expect(await knock(service.port, { target, ...options })).toBe(expected)
  })

  test('a file that is broken closes with what it is, and no room is opened', async () => {
    const code = await knock(service.port, { token: TOKEN, target: '/live/broken.ipynb' })
    expect([4400, 4500]).toContain(code)
  })

  test('frames of garbage and one of 100 MiB cost their sender the connection, and nobody else', async () => {
    const page = await joinLive(service.address, 'n.ipynb')
    const good = { target, token: TOKEN }
    expect(await knock(service.port, good, (socket) => socket.send(Buffer.from([0, 2, 5, 1, 2])))).toBe(1003)
    expect(await knock(service.port, good, (socket) => socket.send(Buffer.from([255, 255, 255])))).toBe(1003)
    expect(await knock(service.port, good, (socket) => socket.send(Buffer.alloc(100 * MIB)))).toBe(1009)
    expect(page.provider.wsconnected).toBe(true)
    expect(page.sources()).toEqual(['a'])
    page.close()
  })

  test('a document that has another history is sent away, and doubles nothing', async () => {
    const stranger = new YNotebook()
    stranger.fromJSON(notebookOf(['a']) as Parameters<YNotebook['fromJSON']>[0])
    await expect(joinLive(service.address, 'n.ipynb', stranger)).rejects.toThrow('closed: 1003')
    stranger.dispose()
    const page = await joinLive(service.address, 'n.ipynb')
    expect(page.sources()).toEqual(['a'])
    page.close()
  })

  test('a token that is revoked ends the connections that it opened', async () => {
    const page = await joinLive(service.address, 'other.ipynb')
    const closed = new Promise((resolve) =>
      page.provider.once('connection-close', (event) => resolve(event?.code)),
    )
    service.revoke()
    expect(await closed).toBe(1001)
    page.close()
  })
})
