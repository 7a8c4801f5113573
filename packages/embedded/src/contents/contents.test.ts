import { ContentsManager, Drive } from '@jupyterlab/services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { servicesSettings } from '../fixtures/services.ts'
import { notebookOf, type RunningEmbedded, removeFolder, startEmbedded } from '../fixtures/start-embedded.ts'

let server: RunningEmbedded
let contents: ContentsManager

beforeAll(async () => {
  server = await startEmbedded()
  const serverSettings = servicesSettings(server)
  contents = new ContentsManager({ serverSettings, defaultDrive: new Drive({ serverSettings }) })
})

afterAll(async () => {
  contents?.dispose()
  await server.stop()
  await removeFolder(server.folder)
})

describe("JupyterLab's contents manager", () => {
  test('makes, saves, reads, copies, renames and deletes a notebook', async () => {
    const made = await contents.newUntitled({ path: '', type: 'notebook' })
    expect(made).toMatchObject({ path: 'Untitled.ipynb', type: 'notebook', content: null, writable: true })
    expect(await contents.newUntitled({ path: '', type: 'notebook' })).toMatchObject({
      path: 'Untitled1.ipynb',
    })
    const content = notebookOf('a = 1\nb = 2')
    await contents.save('Untitled.ipynb', { type: 'notebook', format: 'json', content })
    const read = await contents.get('Untitled.ipynb', { content: true })
    expect(read).toMatchObject({
      format: 'json',
      content: { nbformat: 4, cells: [{ source: 'a = 1\nb = 2' }] },
    })
    expect(read.content.cells[0].metadata).toEqual({ trusted: true })
    expect(JSON.parse(await server.read('Untitled.ipynb')).cells[0]).toMatchObject({
      source: ['a = 1\n', 'b = 2'],
      metadata: {},
    })
    expect(await contents.copy('Untitled.ipynb', '')).toMatchObject({ path: 'Untitled-Copy1.ipynb' })
    expect(await contents.rename('Untitled.ipynb', 'named.ipynb')).toMatchObject({ path: 'named.ipynb' })
    await expect(contents.rename('named.ipynb', 'Untitled1.ipynb')).rejects.toMatchObject({
      response: { status: 409 },
    })
    await contents.delete('named.ipynb')
    await expect(contents.get('named.ipynb')).rejects.toMatchObject({ response: { status: 404 } })
  })

  test('texts, bytes and folders', async () => {
    await contents.save('t.txt', { type: 'file', format: 'text', content: 'grüß' })
    expect(await contents.get('t.txt', { content: true })).toMatchObject({
      content: 'grüß',
      format: 'text',
      mimetype: 'text/plain',
      size: 6,
    })
    await contents.save('b.bin', { type: 'file', format: 'base64', content: '/wAB' })
    expect(await contents.get('b.bin', { content: true })).toMatchObject({
      content: '/wAB',
      format: 'base64',
    })
    await expect(contents.get('b.bin', { content: true, format: 'text' })).rejects.toMatchObject({
      response: { status: 400 },
    })
    const folder = await contents.newUntitled({ path: '', type: 'directory' })
    expect(folder).toMatchObject({ path: 'Untitled Folder', type: 'directory', size: null })
    await contents.save('Untitled Folder/x.txt', { type: 'file', format: 'text', content: '' })
    const listed = await contents.get('Untitled Folder', { content: true })
    expect(listed.content).toMatchObject([{ path: 'Untitled Folder/x.txt', content: null, format: null }])
    await expect(contents.delete('Untitled Folder')).rejects.toMatchObject({ response: { status: 400 } })
  })

  test('checkpoints: none are kept, and saving with them works', async () => {
    await contents.save('c.txt', { type: 'file', format: 'text', content: 'c' })
    expect(await contents.createCheckpoint('c.txt')).toMatchObject({ id: 'checkpoint' })
    expect(await contents.listCheckpoints('c.txt')).toEqual([])
  })
})

describe('on the wire', () => {
  test('201 for a new file and 200 for an old one, with a hash where it is asked for', async () => {
    const model = { type: 'file', format: 'text', content: 'abc' }
    expect((await server.send('PUT', '/api/contents/n.txt', model)).status).toBe(201)
    expect((await server.send('PUT', '/api/contents/n.txt', model)).status).toBe(200)
    const answer = await server.call('/api/contents/n.txt?content=0&hash=1')
    expect(await answer.json()).toMatchObject({
      content: null,
      format: null,
      last_modified: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      hash: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      hash_algorithm: 'sha256',
    })
  })

  test.each([
    ['GET', '/api/contents/none.ipynb', undefined, 404],
    ['GET', '/api/contents/n.txt?type=directory', undefined, 400],
    ['GET', '/api/contents?type=notebook', undefined, 400],
    ['GET', '/api/contents/n.txt?type=odd', undefined, 400],
    ['GET', '/api/contents/n.txt?content=yes', undefined, 400],
    ['GET', '/api/contents/n.txt?type=notebook', undefined, 400],
    ['PUT', '/api/contents/no/where.txt', { type: 'file', format: 'text', content: '' }, 404],
    ['PUT', '/api/contents/x.ipynb', { type: 'notebook', content: { nbformat: 3 } }, 400],
    ['PUT', '/api/contents/x.ipynb', { type: 'notebook', content: 'text' }, 400],
    ['PUT', '/api/contents/x.ipynb', { type: 'notebook' }, 400],
    ['PUT', '/api/contents/x.ipynb', { content: {} }, 400],
    ['PUT', '/api/contents/x.bin', { type: 'file', format: 'base64', content: '*' }, 400],
    ['PUT', '/api/contents/x.txt', { type: 'file', format: 'text', content: 7 }, 400],
    ['PUT', '/api/contents', { type: 'file', format: 'text', content: '' }, 400],
    ['POST', '/api/contents/n.txt', { type: 'file' }, 400],
    ['POST', '/api/contents/none', { type: 'file' }, 404],
    ['POST', '/api/contents', { type: 'file', ext: '/../x' }, 400],
    ['PATCH', '/api/contents/n.txt', {}, 400],
    ['DELETE', '/api/contents', undefined, 400],
    ['PUT', '/api/status', {}, 405],
    ['GET', '/api/nothing', undefined, 404],
  ])('%s %s %j: %i', async (method, path, body, status) => {
    const answer = body ? await server.send(method, path, body) : await server.call(path, { method })
    expect(await answer.json()).toEqual({ message: expect.any(String), reason: null })
    expect(answer.status).toBe(status)
  })

  test('a body that is no JSON, or too deep', async () => {
    const put = (body: string) => server.call('/api/contents/deep.ipynb', { method: 'PUT', body })
    expect((await put('{')).status).toBe(400)
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect((await put(`{"type":"notebook","content":${deep}}`)).status).toBe(400)
  })

  test('a notebook with 20 MiB of output and many values', async () => {
    const content = notebookOf('big')
    const data = { 'application/json': Array.from({ length: 100_000 }, (_, index) => index) }
    const outputs = [
      { output_type: 'stream', name: 'stdout', text: 'x'.repeat(20 * 1024 * 1024) },
      { output_type: 'display_data', data, metadata: {} },
    ]
    Object.assign(content.cells[0] ?? {}, { outputs })
    expect((await server.send('PUT', '/api/contents/big.ipynb', { type: 'notebook', content })).status).toBe(
      201,
    )
    const read = (await (await server.call('/api/contents/big.ipynb')).json()) as { content: typeof content }
    expect(read.content.cells[0]?.outputs).toEqual(outputs)
  })
})

describe('at the door', () => {
  test.each([
    ['nobody', null, 403],
    ['a wrong token', 'wrong', 403],
  ])('%s', async (_who, as, status) => {
    const answer = await server.call('/api/contents', { as })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ message: 'Forbidden' })
  })

  test('the version is for everybody, both schemes are taken, a token in the address is not', async () => {
    expect(await (await server.call('/api', { as: null })).json()).toEqual({ version: '9.9.9' })
    const headers = { authorization: `Bearer ${'a-token-of-the-tests-0123456789'}` }
    expect((await fetch(`${server.url}/api/status`, { headers })).status).toBe(200)
    expect((await server.call('/api/status')).status).toBe(200)
    expect((await fetch(`${server.url}/api/status?token=a-token-of-the-tests-0123456789`)).status).toBe(403)
  })

  test('another Origin', async () => {
    expect((await server.call('/api/status', { headers: { origin: 'https://evil.example' } })).status).toBe(
      403,
    )
  })
})
