import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kernelIds } from '../fixtures/jupyter-api.ts'
import { codeCell, readNotebookFile } from '../fixtures/notebook-files.ts'
import { startToolClient } from '../fixtures/tool-client.ts'
import { type ExecutionBench, startExecutionBench } from './shared/execution-bench.fixture.ts'

const MOST = 4_000

let on: ExecutionBench

beforeAll(async () => {
  on = await startExecutionBench({ maxOutputBytes: MOST })
  await on.open('n.ipynb', [codeCell('c', 'x = 1')])
})

afterAll(async () => {
  await on?.stop()
})

const execute = (args: Record<string, unknown>, options?: object) =>
  on.bench.call('execute_code', args, options)

describe('where it runs', () => {
  test('in the kernel of the current notebook, which is not written', async () => {
    verifies('NB-TOOL-17')
    const before = readFileSync(join(on.jupyter.root, 'n.ipynb'), 'utf8')
    const reply = await execute({ code: 'shared = 20 + 1\nshared * 2' })
    expect(reply).toMatchObject({ text: '42', isError: false })
    expect(reply.structured).toMatchObject({
      notebook_name: 'n.ipynb',
      kernel_id: on.kernelId,
      status: 'ok',
      outputs: [{ index: 0, type: 'text', text: '42' }],
    })
    expect(readFileSync(join(on.jupyter.root, 'n.ipynb'), 'utf8')).toBe(before)
    const named = await execute({ code: 'shared', notebook_name: 'n.ipynb', timeout: null, kernel_id: null })
    expect(named.text).toBe('21')
    const empty = await execute({ code: 'shared', notebook_name: '', timeout: '60', kernel_id: '' })
    expect(empty).toMatchObject({ text: '21', structured: { notebook_name: 'n.ipynb' } })
  })

  test('in the kernel that is named, which lives on', async () => {
    await execute({ code: 'mine = "here"' })
    const reply = await execute({ code: 'mine', kernel_id: on.kernelId, notebook_name: null })
    expect(reply.text).toBe("'here'")
    expect(reply.structured).toMatchObject({ notebook_name: null, kernel_id: on.kernelId })
    expect(await kernelIds(on.jupyter)).toContain(on.kernelId)
  })

  test.each(['00000000-0000-4000-8000-000000000000', 'no-such', '..', 'a/b'])(
    'nowhere when there is no kernel %s',
    async (kernel_id) => {
      verifies('NB-TOOL-31', 'NB-REPLY-1')
      const reply = await execute({ code: 'open("ran", "w")', kernel_id })
      expect(reply.isError).toBe(true)
      expect(reply.text).toMatch(kernel_id.includes('-') ? /^\[ERROR: Kernel '.+' not found/ : /^\[ERROR: /)
      expect(readdirSync(on.jupyter.root)).not.toContain('ran')
    },
  )

  test('in a kernel of its own when no notebook is in use, which goes with its caller', async () => {
    const bench = await startToolClient({ jupyter: on.jupyter })
    try {
      const first = await bench.call('execute_code', { code: 'kept = 5' })
      const id = String(first.structured.kernel_id)
      expect(first.text).toContain(`[Started kernel '${id}'`)
      expect(first.text).toContain('[No output generated]')
      const second = await bench.call('execute_code', { code: 'kept + 1' })
      expect(second.text).toBe('6')
      expect(second.structured).toMatchObject({ kernel_id: id, notebook_name: null })
      expect(await kernelIds(on.jupyter)).toContain(id)
      await bench.workbench.stop()
      expect(await kernelIds(on.jupyter)).not.toContain(id)
    } finally {
      await bench.close()
    }
  })
})

test('an exception is a result', async () => {
  const reply = await execute({ code: 'raise ValueError("no")' })
  expect(reply.isError).toBe(false)
  expect(reply.structured).toMatchObject({ status: 'error', outputs: [{ type: 'error' }] })
  expect(reply.text).toContain('ValueError: no')
})

test('code without anything in it runs nothing', async () => {
  const reply = await execute({ code: ' \n' })
  expect(reply).toMatchObject({ text: '[No output generated]', isError: false })
  expect(reply.structured).toMatchObject({ kernel_id: null, status: 'ok' })
})

test('code that takes too long is interrupted, and what it printed is returned', async () => {
  verifies('NB-EXEC-3', 'NB-TOOL-31')
  const reply = await execute({ code: 'print("part", flush=True)\nimport time\ntime.sleep(60)', timeout: 1 })
  expect(reply.isError).toBe(true)
  expect(reply.structured).toMatchObject({ status: 'timeout' })
  expect(reply.text).toMatch(/^part\n/)
  expect(reply.text).toMatch(/\[TIMEOUT ERROR: IPython execution exceeded 1 seconds and was interrupted\]$/)
  expect((await execute({ code: '1 + 1' })).text).toBe('2')
})

test('code that gives up before its turn says that nothing was sent, and interrupts nobody', async () => {
  const started = Promise.withResolvers<void>()
  const first = execute(
    {
      code: 'import os, time\nprint("on", flush=True)\nwhile not os.path.exists("go"): time.sleep(0.02)\n"ended"',
    },
    { onprogress: () => started.resolve() },
  )
  await started.promise
  const reply = await execute({ code: 'open("ran", "w")', timeout: 1 })
  expect(reply).toMatchObject({ isError: true, structured: { error: { code: 'busy' } } })
  expect(reply.text).toMatch(/busy with other code.*Nothing was sent/)
  expect(reply.text).not.toContain('was interrupted')
  writeFileSync(join(on.jupyter.root, 'go'), '')
  expect((await first).text).toContain("'ended'")
  expect((await execute({ code: '1 + 1' })).text).toBe('2')
  expect(readdirSync(on.jupyter.root)).not.toContain('ran')
})

test('code that asks for input is told that nobody can give it', async () => {
  const reply = await execute({ code: 'input("name? ")' })
  expect(reply.text).toContain('put the value into the code')
})

test.each([
  ['no code', {}],
  ['code that is no text', { code: 1 }],
  ['a negative timeout', { code: '1', timeout: -5 }],
  ['half a second', { code: '1', timeout: 0.5 }],
  ['a notebook that is not open', { code: '1', notebook_name: 'x' }],
  ['a cell', { code: '1', cell_index: 0 }],
])('refuses %s', async (_what, args) => {
  const reply = await execute(args)
  expect(reply.isError).toBe(true)
  expect(reply.text.length).toBeGreaterThan(20)
})

describe('outputs', () => {
  const PNG =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
  const JPEG =
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA='
  const SVG =
    '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><rect width="2" height="2"/></svg>'

  test('images come back as images, SVG as what it is', async () => {
    verifies('NB-EXEC-8')
    const reply = await execute({
      code: [
        'from base64 import b64decode',
        'from IPython.display import Image, SVG',
        `display(Image(b64decode("${PNG}"), format="png"))`,
        `display(Image(b64decode("${JPEG}"), format="jpeg"))`,
        `display(Image(b64decode("${GIF}"), format="gif"))`,
        `display(SVG(${JSON.stringify(SVG)}))`,
      ].join('\n'),
    })
    const images = reply.content.flatMap((block) => (block.type === 'image' ? [block] : []))
    expect(images.map(({ mimeType }) => mimeType)).toEqual(['image/png', 'image/jpeg', 'image/gif'])
    expect(images[0]?.data).toBe(PNG)
    const [svg, ...others] = reply.content.flatMap((block) => (block.type === 'resource' ? [block] : []))
    expect(others).toEqual([])
    expect(svg?.resource).toEqual({
      uri: expect.stringMatching(/^notebook-output:\/\/.+\/3$/),
      mimeType: 'image/svg+xml',
      text: expect.stringContaining('<rect width="2" height="2"/>'),
    })
    const { contents } = await on.bench.client.readResource({ uri: svg?.resource.uri ?? '' })
    expect(contents).toContainEqual(svg?.resource)
    expect(JSON.stringify(reply.structured)).not.toContain(PNG)
  })

  test('beyond the limit are cut with a marker, and can be read whole', async () => {
    verifies('NB-EXEC-7')
    const reply = await execute({ code: 'for i in range(200_000): print(i)', timeout: 60 })
    expect(reply.isError).toBe(false)
    expect(reply.structured).toMatchObject({ status: 'ok', truncated: true })
    expect(Buffer.byteLength(reply.text)).toBeLessThan(MOST + 500)
    expect(reply.text).toMatch(/^0\n1\n/)
    expect(reply.text).toMatch(/bytes cut/)
    expect(reply.text).toMatch(/\n199999\n/)
    const link = reply.content.find((block) => block.type === 'resource_link')
    expect(link?.uri).toMatch(/^notebook-output:\/\/.+\/0$/)
    const { contents } = await on.bench.client.readResource({ uri: link?.uri ?? '' })
    const [whole] = contents
    const lines = Array.from({ length: 200_000 }, (_, index) => `${index}\n`).join('')
    expect(whole && 'text' in whole && whole.text === lines).toBe(true)
  })

  test('of a cell are whole in the notebook, which the reply links to', async () => {
    verifies('NB-EXEC-7')
    await on.open('big.ipynb', [codeCell('c', `print("é" * ${MOST})`)])
    const reply = await on.bench.call('execute_cell', { cell_id: 'c' })
    expect(reply.structured).toMatchObject({ truncated: true, written: true })
    expect(Buffer.byteLength(reply.text)).toBeLessThan(MOST + 500)
    expect(reply.text).toContain('bytes cut')
    const whole = `${'é'.repeat(MOST)}\n`
    expect(readNotebookFile(on.jupyter.root, 'big.ipynb').cells).toMatchObject([
      { outputs: [{ text: whole }] },
    ])
    const link = reply.content.find((block) => block.type === 'resource_link')
    expect(link?.uri).toBe('notebook://big.ipynb/cells/c/outputs/0')
    const { contents } = await on.bench.client.readResource({ uri: link?.uri ?? '' })
    expect(contents[0]).toMatchObject({ text: whole })
  })

  test('of somebody else cannot be read', async () => {
    const reply = await execute({ code: `print("x" * ${MOST * 2})` })
    const link = reply.content.find((block) => block.type === 'resource_link')
    const stranger = await on.bench.connect('stranger')
    await expect(stranger.client.readResource({ uri: link?.uri ?? '' })).rejects.toThrow()
  })
})
