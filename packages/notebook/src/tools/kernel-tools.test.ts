import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { jupyterApi, type KernelAnswer, kernelIds } from '../fixtures/jupyter-api.ts'
import { codeCell, writeNotebook } from '../fixtures/notebook-files.ts'
import { startToolClient, type ToolBench } from '../fixtures/tool-client.ts'

interface SessionAnswer {
  readonly path: string
  readonly kernel: KernelAnswer
}

const WITHIN = { timeout: 30_000 }

let jupyter: Jupyter
let bench: ToolBench

beforeAll(async () => {
  jupyter = await startJupyter()
  bench = await startToolClient({ jupyter })
  for (const path of ['idle.ipynb', 'n.ipynb', 'theirs.ipynb']) {
    writeNotebook(jupyter.root, path, [codeCell('c', 'print("cell ran")')])
  }
  await bench.call('use_notebook', { notebook_name: 'idle', notebook_path: 'idle.ipynb' })
})

afterAll(async () => {
  await bench?.close()
  await jupyter?.stop()
})

const execute = (code: string) => bench.call('execute_code', { code, notebook_name: 'n' })

describe('without a kernel', () => {
  test('list_kernels says that there is none', async () => {
    verifies('NB-TOOL-31')
    const none = await bench.call('list_kernels')
    expect(none.text).toContain('No kernels found')
    expect(none.structured).toEqual({ kernels: [] })
  })

  test('list_kernelspecs shows what could be started', async () => {
    verifies('NB-TOOL-19')
    const reply = await bench.call('list_kernelspecs')
    expect(reply.text).toBe('Name\tDisplay_Name\tLanguage\tDefault\npython3\tPython 3 (ipykernel)\tpython\t✓')
    expect(reply.structured).toEqual({
      default: 'python3',
      kernelspecs: [
        { name: 'python3', display_name: 'Python 3 (ipykernel)', language: 'python', is_default: true },
      ],
    })
  })

  test.each([
    ['restart_notebook', { notebook_name: 'other' }, /is not connected/],
    ['restart_notebook', { notebook_name: 'idle' }, /Failed to restart.*no kernel yet/],
    ['restart_notebook', { notebook_name: 7 }, /notebook_name/],
    ['interrupt_kernel', {}, /no kernel yet/],
    ['interrupt_kernel', { notebook_name: 'other' }, /is not connected/],
    ['interrupt_kernel', { kernel_id: '00000000-0000-4000-8000-000000000000' }, /not found/],
    ['interrupt_kernel', { kernel_id: '' }, /'idle' has no kernel yet/],
    ['list_kernels', { all: true }, /unknown parameter all/],
    ['list_kernelspecs', { name: 'python3' }, /unknown parameter name/],
  ])('%s refuses %o', async (tool, args, sentence) => {
    verifies('NB-REPLY-1')
    const reply = await bench.call(tool, args)
    expect(reply.isError).toBe(true)
    expect(reply.text).toMatch(sentence)
    expect(await kernelIds(jupyter)).toEqual([])
  })
})

/** One after the other in one kernel, as long as it lives. */
describe('the kernel of a notebook', () => {
  let id: string

  test('is started by the first execution, which says so, and others see it as a session', async () => {
    verifies('NB-UP-1', 'NB-TOOL-2', 'NB-TOOL-31')
    await bench.call('use_notebook', { notebook_name: 'n', notebook_path: 'n.ipynb' })
    expect(await kernelIds(jupyter)).toEqual([])
    const reply = await bench.call('execute_cell', { cell_id: 'c' })
    id = String(reply.structured.kernel_id)
    expect(reply.text).toContain(`[Started kernel '${id}'`)
    const sessions = await jupyterApi<SessionAnswer[]>(jupyter, 'GET', 'sessions')
    expect(sessions).toMatchObject([{ path: 'n.ipynb', kernel: { id } }])

    const listed = await bench.call('list_kernels')
    const [header, row] = listed.text.split('\n').map((line) => line.split('\t'))
    expect(header?.join(' ')).toBe(
      'ID Name Display_Name Language State Connections Last_Activity Environment',
    )
    expect(row?.slice(0, 4)).toEqual([id, 'python3', 'Python 3 (ipykernel)', 'python'])
    expect(row?.[6]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(row?.[7]).toBe('unknown')
    expect(listed.structured).toMatchObject({ kernels: [{ id, language: 'python', notebook_names: ['n'] }] })
  })

  test.each(['notebook', 'kernel'])('is interrupted by the name of the %s', async (by) => {
    verifies('NB-TOOL-20')
    const started = Promise.withResolvers<void>()
    const running = bench.call(
      'execute_code',
      { code: 'x = 1\nprint("on", flush=True)\nimport time\ntime.sleep(60)' },
      { onprogress: () => started.resolve() },
    )
    await started.promise
    const reply = await bench.call('interrupt_kernel', by === 'kernel' ? { kernel_id: id } : {})
    expect(reply.isError).toBe(false)
    expect(reply.text).toContain('Sent interrupt signal to kernel')
    // The server's own idea of the state may lag behind.
    expect(reply.structured).toEqual({ kernel_id: id, state_before: expect.any(String) })
    expect((await running).text).toContain('KeyboardInterrupt')
    expect((await execute('x')).text).toBe('1')
  })

  test('is interrupted in vain when nothing runs', async () => {
    await vi.waitFor(async () => {
      const reply = await bench.call('interrupt_kernel', { notebook_name: 'n' })
      expect(reply.structured).toEqual({ kernel_id: id, state_before: 'idle' })
      expect(reply.text).toContain('nothing to stop')
    }, WITHIN)
    expect((await execute('x')).text).toBe('1')
  })

  test('is restarted by restart_notebook, and keeps its id', async () => {
    verifies('NB-TOOL-5', 'NB-TOOL-31')
    const reply = await bench.call('restart_notebook', { notebook_name: 'n' })
    expect(reply.isError).toBe(false)
    expect(reply.text).toContain('kernel restarted successfully')
    expect(reply.structured).toEqual({ notebook_name: 'n', kernel_id: id, reprovisioned: false })
    const after = await execute('x')
    expect(after.text).toContain('NameError')
    expect(after.structured).toMatchObject({ kernel_id: id })
  })

  test('that dies under its code is lost, and the next execution works', async () => {
    const die = join(jupyter.root, 'die')
    const code =
      'import os, time\nprint("last words", flush=True)\nwhile not os.path.exists("die"): time.sleep(0.02)\nos._exit(1)'
    const onprogress = () => writeFileSync(die, '')
    const reply = await bench.call('execute_code', { code, notebook_name: 'n' }, { onprogress })
    rmSync(die)
    expect(reply.isError).toBe(true)
    expect(reply.structured).toMatchObject({ status: 'lost' })
    expect(reply.text).toMatch(/^last words\n/)
    expect(reply.text).toMatch(/\[ERROR: The kernel died/)
    expect((await execute('6 * 7')).text).toContain('42')
  })

  test('that is gone is replaced, and the reply names both', async () => {
    verifies('NB-EXEC-6')
    await jupyterApi(jupyter, 'DELETE', `kernels/${id}`)
    const reply = await bench.call('execute_cell', { cell_id: 'c', notebook_name: 'n' })
    const after = String(reply.structured.kernel_id)
    expect(after).not.toBe(id)
    expect(reply.text).toMatch(/^cell ran\n/)
    expect(reply.text).toContain(`KERNEL REPLACED: kernel '${id}' is gone`)
    expect(reply.text).toContain(after)
    expect((await execute('1')).text).toBe('1')
  })

  test('that is gone is replaced by restart_notebook too', async () => {
    const [before] = await kernelIds(jupyter)
    await jupyterApi(jupyter, 'DELETE', `kernels/${before}`)
    const reply = await bench.call('restart_notebook', { notebook_name: null })
    const [after] = await kernelIds(jupyter)
    expect(reply.isError).toBe(false)
    expect(reply.text).toContain('reprovisioned')
    expect(reply.text).toContain(after)
    expect(reply.structured).toEqual({ notebook_name: 'n', kernel_id: after, reprovisioned: true })
    expect((await execute('6 * 7')).structured).toMatchObject({ kernel_id: after, status: 'ok' })
  })

  test('is shut down with its notebook', async () => {
    await bench.call('unuse_notebook', { notebook_name: 'n' })
    expect(await kernelIds(jupyter)).toEqual([])
  })
})

test("the kernel of a person's session is used, and left to the person", async () => {
  verifies('NB-CARE-4', 'NB-UP-1')
  const session = {
    path: 'theirs.ipynb',
    name: 'theirs.ipynb',
    type: 'notebook',
    kernel: { name: 'python3' },
  }
  const { kernel } = await jupyterApi<SessionAnswer>(jupyter, 'POST', 'sessions', session)
  const person = await startToolClient({ jupyter })
  try {
    await person.call('execute_code', { code: 'theirs = 7', kernel_id: kernel.id })
    await bench.call('use_notebook', { notebook_name: 'theirs', notebook_path: 'theirs.ipynb' })
    const reply = await bench.call('execute_code', { code: 'theirs', notebook_name: 'theirs' })
    expect(reply.text).toContain('7')
    expect(reply.structured).toMatchObject({ kernel_id: kernel.id, status: 'ok' })
    await bench.call('unuse_notebook', { notebook_name: 'theirs' })
    expect(await kernelIds(jupyter)).toEqual([kernel.id])
    expect((await person.call('execute_code', { code: 'theirs', kernel_id: kernel.id })).text).toBe('7')
  } finally {
    await person.close()
  }
})
