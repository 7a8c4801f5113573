import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProcess } from '@quire/testbed/process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LAUNCHER } from './notebook.fixture.ts'

let dataDir: string
beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'quire-token-')), 'data')
})
afterEach(() => rmSync(join(dataDir, '..'), { recursive: true }))

/** Each of them ends by itself. */
const quire = (args: string[]) =>
  startProcess(process.execPath, [LAUNCHER, ...args], { env: { QUIRE_DATA_DIR: dataDir } })
const tokenIn = (folder: string) => readFileSync(join(folder, 'token'), 'utf8').trim()

describe('quire token', () => {
  test('is made once, and never shown', async () => {
    const first = quire(['token', 'make'])
    expect(await first.exited).toBe(0)
    const token = tokenIn(dataDir)
    const second = quire(['token', 'make'])
    await second.exited
    expect(tokenIn(dataDir)).toBe(token)
    for (const { output } of [first, second]) expect(output.stdout).toBe(`${join(dataDir, 'token')}\n`)
  })

  test('a token file that others can read is refused', async () => {
    await quire(['token', 'make']).exited
    chmodSync(join(dataDir, 'token'), 0o644)
    const one = quire(['up', '--port', '0'])
    expect(await one.exited).toBe(1)
    expect(one.output.stderr).toMatch(/can be read by others: run "chmod 600"/)
  })
})
