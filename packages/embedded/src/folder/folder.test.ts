import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { joinRoom } from '../fixtures/room-client.ts'
import {
  newFolder,
  notebookOf,
  type RunningEmbedded,
  removeFolder,
  startEmbedded,
} from '../fixtures/start-embedded.ts'
import { createFolder } from './folder.ts'

let outside: string
let server: RunningEmbedded

beforeAll(async () => {
  outside = newFolder()
  await writeFile(join(outside, 'secret.txt'), 'secret')
  await mkdir(join(outside, 'deep'))
  server = await startEmbedded()
  const inside = (name: string) => join(server.folder, name)
  await mkdir(inside('real'))
  await mkdir(inside('.hidden'))
  await writeFile(inside('real/plain.txt'), 'plain')
  await writeFile(inside('.hidden/plain.txt'), 'hidden')
  await symlink(join(outside, 'secret.txt'), inside('file-out.txt'))
  await symlink(outside, inside('folder-out'))
  await symlink('../../../../../../../../etc', inside('relative-out'))
  await symlink(inside('loop'), inside('loop'))
  await symlink(join(outside, 'not-yet.txt'), inside('dangling.txt'))
  await symlink(inside('.hidden'), inside('shown'))
  await symlink(inside('real'), inside('link-in'))
})

afterAll(async () => {
  await server.stop()
  await removeFolder(server.folder)
  await removeFolder(outside)
})

const HOSTILE = [
  '..',
  '../secret.txt',
  'real/../../secret.txt',
  './real',
  'real/.',
  '/../etc/passwd',
  'real\\..\\plain.txt',
  'real/plain.txt\0.ipynb',
  'a\nb',
  '\ud800',
  'x'.repeat(300),
  'x/'.repeat(3_000),
  '.hidden/plain.txt',
  '.hidden',
  'real/.x',
  'file-out.txt',
  'folder-out',
  'folder-out/secret.txt',
  'folder-out/new.txt',
  'folder-out/deep/new.txt',
  'relative-out/passwd',
  'loop',
  'loop/x',
  'dangling.txt',
  'shown/plain.txt',
  'shown/new.txt',
  'real/plain.txt/x',
]

describe('the folder', () => {
  test.each(HOSTILE)('has nothing at %j, and takes nothing there', async (path) => {
    const folder = createFolder(server.folder)
    await expect(folder.find(path)).rejects.toMatchObject({ name: 'CallerError' })
    await expect(folder.place(path)).rejects.toMatchObject({ name: 'CallerError' })
    await expect(folder.entry(path)).rejects.toMatchObject({ name: 'CallerError' })
  })

  test('an absolute path is one inside', async () => {
    const folder = createFolder(server.folder)
    await expect(folder.find('/etc/passwd')).rejects.toMatchObject({ problem: { status: 404 } })
    await expect(folder.find('/real/plain.txt')).resolves.toBe(join(folder.root, 'real/plain.txt'))
  })

  test('a link that stays inside is followed', async () => {
    const folder = createFolder(server.folder)
    await expect(folder.find('link-in/plain.txt')).resolves.toBe(join(folder.root, 'real/plain.txt'))
    await expect(folder.place('link-in/new.txt')).resolves.toBe(join(folder.root, 'real/new.txt'))
  })
})

describe("the server's own folder", () => {
  test('is not followed out where one in it is a link: rooms go on without it', async () => {
    const folder = newFolder()
    await mkdir(join(folder, '.quire'))
    await symlink(outside, join(folder, '.quire/rooms'))
    const trapped = await startEmbedded({ folder })
    try {
      await trapped.put('n.ipynb', notebookOf('a'))
      const client = await joinRoom(trapped, 'n.ipynb')
      client.notebook.cells[0]?.setSource('saved')
      await expect.poll(() => trapped.read('n.ipynb')).toContain('saved')
      client.close()
    } finally {
      await trapped.stop()
      await removeFolder(folder)
    }
    expect((await readdir(outside)).sort()).toEqual(['deep', 'secret.txt'])
  })
})

describe('a link that is swapped in later', () => {
  test.each([
    [
      'for the notebook',
      async (inside: string, out: string) => {
        await rm(join(inside, 'swapped/n.ipynb'))
        await symlink(join(out, 'n.ipynb'), join(inside, 'swapped/n.ipynb'))
      },
    ],
    [
      'for its folder',
      async (inside: string, out: string) => {
        await rename(join(inside, 'swapped'), join(inside, 'before'))
        await symlink(out, join(inside, 'swapped'))
      },
    ],
  ])(
    '%s is neither read nor written through: the room says that its notebook is gone',
    async (_name, swap) => {
      const [folder, out] = [newFolder(), newFolder()]
      await mkdir(join(folder, 'swapped'))
      const trapped = await startEmbedded({ folder })
      const secret = JSON.stringify(notebookOf('secret'))
      await writeFile(join(out, 'n.ipynb'), secret)
      try {
        await trapped.put('swapped/n.ipynb', notebookOf('a'))
        const client = await joinRoom(trapped, 'swapped/n.ipynb')
        const closed = new Promise<number | undefined>((resolve) =>
          client.provider.once('connection-close', (event) => resolve(event?.code)),
        )
        client.notebook.cells[0]?.setSource('edited')
        await swap(folder, out)
        expect(await closed).toBe(4404)
        client.close()
        expect(client.sources()).toEqual(['edited'])
        expect((await trapped.call('/api/contents/swapped/n.ipynb')).status).toBe(404)
      } finally {
        await trapped.stop()
      }
      expect(await readdir(out)).toEqual(['n.ipynb'])
      expect(await readFile(join(out, 'n.ipynb'), 'utf8')).toBe(secret)
      await removeFolder(folder)
      await removeFolder(out)
    },
  )
})

describe('over HTTP', () => {
  const WIRE = [
    '/api/contents/..%2f..%2fetc%2fpasswd',
    '/api/contents/%2e%2e/%2e%2e/etc/passwd',
    '/api/contents/real/..%5c..%5csecret.txt',
    '/api/contents/real%00.txt',
    '/api/contents//etc/passwd',
    '/api/contents/folder-out/secret.txt',
    '/api/contents/file-out.txt',
    '/api/contents/.hidden/plain.txt',
    '/api/contents/dangling.txt',
    '/api/contents/shown/plain.txt',
  ]

  test.each(WIRE)('%s is refused to read, write, move, copy and delete', async (path) => {
    const model = { type: 'file', format: 'text', content: 'mine' }
    const from = decodeURIComponent(path.slice('/api/contents/'.length))
    const answers = await Promise.all([
      server.call(path),
      server.send('PUT', path, model),
      server.send('PATCH', path, { path: 'taken.txt' }),
      server.send('PATCH', '/api/contents/real/plain.txt', { path: from }),
      server.send('POST', '/api/contents', { copy_from: from }),
      server.send('POST', path, { type: 'file' }),
      server.call(path, { method: 'DELETE' }),
      server.send('PUT', path.replace('contents', 'collaboration/session'), {
        format: 'json',
        type: 'notebook',
      }),
    ])
    for (const answer of answers) expect([400, 404], answer.url).toContain(answer.status)
    expect(await server.read('real/plain.txt')).toBe('plain')
    expect((await readdir(outside)).sort()).toEqual(['deep', 'secret.txt'])
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
  })

  test('a list shows neither what is hidden nor what leads out', async () => {
    const { content } = (await (await server.call('/api/contents')).json()) as { content: { name: string }[] }
    expect(content.map(({ name }) => name).sort()).toEqual(['link-in', 'real'])
  })
})
