import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { coldStart } from './cold-start.ts'
import { inTurns } from './in-turns.ts'
import { largeNotebook } from './large-notebook.ts'
import { benchLive } from './live.ts'
import { openRawKernel } from './raw-kernel.ts'
import { sessionMemory } from './session-memory.ts'
import { startToolProcess, type ToolProcess } from './tool-process.ts'

const MEBIBYTE = 1024 * 1024

/** What the notebook service adds to a real notebook server and a real kernel, each beside what the same thing costs without it. */
export async function benchNotebook(): Promise<string[]> {
  const jupyter = await startJupyter()
  try {
    const tools = await startToolProcess(jupyter)
    try {
      return [
        await roundTrip(jupyter, tools),
        await readLarge(jupyter, tools),
        await manyLines(jupyter),
        await coldStart(),
        await sessionMemory(jupyter),
        ...(await benchLive()),
      ]
    } finally {
      await tools.close()
    }
  } finally {
    await jupyter.stop()
  }
}

/** Both on one kernel, in turns. */
async function roundTrip(jupyter: Jupyter, tools: ToolProcess): Promise<string> {
  const kernel = await openRawKernel(jupyter)
  const times = await inTurns(101, {
    raw: () => kernel.execute('1+1'),
    quire: () => tools.call('execute_code', { code: '1+1', kernel_id: kernel.id }),
  })
  await kernel.close()
  return `execute_code("1+1") over stdio         ${(times.quire - times.raw).toFixed(1)} ms more than the raw kernel (aim: at most 3.0); ${times.quire.toFixed(1)} against ${times.raw.toFixed(1)} ms`
}

async function readLarge(jupyter: Jupyter, tools: ToolProcess): Promise<string> {
  await writeFile(join(jupyter.root, 'large.ipynb'), JSON.stringify(largeNotebook()))
  await tools.call('use_notebook', { notebook_name: 'large', notebook_path: 'large.ipynb' })
  const headers = { authorization: `token ${jupyter.token}` }
  const times = await inTurns(21, {
    raw: async () =>
      void (await (await fetch(`${jupyter.url}/api/contents/large.ipynb`, { headers })).json()),
    quire: () => tools.call('read_notebook', { notebook_name: 'large', limit: 0 }),
  })
  const allowed = 2 * times.raw + 5
  return `read_notebook of 1,000 cells           ${(times.quire / allowed).toFixed(2)} of two GETs and 5 ms (aim: at most 1.00); ${times.quire.toFixed(1)} against ${times.raw.toFixed(1)} ms for one GET`
}

/** In a process of its own, so that its peak is of this alone. */
async function manyLines(jupyter: Jupyter): Promise<string> {
  const tools = await startToolProcess(jupyter)
  const code = 'for n in range(200_000): print("line", n)'
  const text = await tools.call('execute_code', { code, timeout: 100 })
  const after = await tools.call('execute_code', { code: 'print("still here")' })
  if (!after.includes('still here')) throw new Error('the kernel is blocked')
  const peak = tools.peakBytes() / MEBIBYTE
  await tools.close()
  return `a cell that prints 200,000 lines       ${(peak / 150).toFixed(2)} of 150 MiB at its peak (aim: at most 1.00); ${peak.toFixed(0)} MiB, a reply of ${text.length} characters`
}
