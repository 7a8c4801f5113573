import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { median } from '../child.ts'
import { largeNotebook } from '../notebook/large-notebook.ts'
import { enterRoom, firstResult, withServer } from './client.ts'

const STARTS = 11
const LOADS = 5
const NOTEBOOKS = 50
const MEBIBYTE = 1024 * 1024
const { resolve } = createRequire(new URL('../../packages/embedded/package.json', import.meta.url))

/** The notebook server for machines without Jupyter. */
export async function benchEmbedded(): Promise<string[]> {
  return [await ready(), await firstKernel(), await openNotebooks()]
}

async function ready(): Promise<string> {
  const times = { empty: [] as number[], quire: [] as number[], cpu: [] as number[] }
  await withServer(async () => undefined)
  for (let round = 0; round < STARTS; round += 1) {
    times.empty.push(runNode('0'))
    const startedAt = performance.now()
    await withServer(async ({ usage }) => {
      times.quire.push(performance.now() - startedAt)
      times.cpu.push((await usage()).cpuMicroseconds / 1000)
    })
  }
  const [empty, quire, cpu] = [median(times.empty), median(times.quire), median(times.cpu)]
  return `embedded: ready                        ${quire.toFixed(0)} ms after its start (aim: at most 300), ${(quire / empty).toFixed(2)} of "node -e 0" with ${empty.toFixed(0)} ms; ${cpu.toFixed(0)} ms of CPU`
}

/** A kernel from nothing to its first result, against Python loaded by a program that does nothing else, in turns. */
async function firstKernel(): Promise<string> {
  const pyodide = resolve('pyodide/pyodide.mjs')
  const script = `(await (await import(${JSON.stringify(pyodide)})).loadPyodide()).runPython('1+1'); process.exit(0)`
  const times = { bare: [] as number[], quire: [] as number[] }
  await withServer(async ({ port }) => {
    for (let round = 0; round < LOADS; round += 1) {
      times.bare.push(runNode(script))
      const startedAt = performance.now()
      await firstResult(port)
      times.quire.push(performance.now() - startedAt)
    }
  })
  const [bare, quire] = [median(times.bare), median(times.quire)]
  return `embedded: first result of a kernel     ${(quire - bare).toFixed(0)} ms more than Python's bare load (aim: at most 1000), ${(quire / bare).toFixed(2)} of it; ${quire.toFixed(0)} against ${bare.toFixed(0)} ms`
}

async function openNotebooks(): Promise<string> {
  return await withServer(async ({ port, usage }, folder) => {
    const before = await usage({ collected: true })
    for (let number = 0; number < NOTEBOOKS; number += 1) {
      await writeFile(join(folder, `n${number}.ipynb`), JSON.stringify(largeNotebook(100)))
      await enterRoom(port, `n${number}.ipynb`)
    }
    const after = await usage()
    const grown = (after.rssBytes - before.rssBytes) / MEBIBYTE
    return `embedded: ${NOTEBOOKS} notebooks open            ${(after.rssBytes / MEBIBYTE).toFixed(0)} MiB resident (aim: under 250), ${grown.toFixed(0)} MiB more than none`
  })
}

function runNode(script: string): number {
  const startedAt = performance.now()
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
  if (status !== 0) throw new Error(`a bare program ended with ${status}`)
  return performance.now() - startedAt
}
