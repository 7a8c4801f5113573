import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
const nodeModules = fileURLToPath(new URL('../../node_modules', import.meta.url))

const one = `import { test } from 'vitest'
import { verifies } from '${join(here, 'verifies.ts')}'
test('holds', () => verifies('A-X-1'))
test.fails('holds by failing', () => { verifies('A-X-2'); throw new Error('expected') })
test.skip('waits', () => {})`
const two = `import { test } from 'vitest'
test('holds too', () => {})`
const breaks = `import { test } from 'vitest'
import { verifies } from '${join(here, 'verifies.ts')}'
test('breaks', () => { verifies('A-X-2'); throw new Error('broken') })`
const leaks = `import { test } from 'vitest'
test('leaks', async () => { Promise.reject(new Error('nobody waits for me')); await new Promise(setImmediate) })`
const wavers = `import { expect, test } from 'vitest'
let tries = 0
test('wavers', () => expect(tries++).toBe(1))`
const summary = 'ledger: 1 of 2 clauses proven, 1 not yet built (Home 1)'

type Case = {
  title: string
  files: Record<string, string>
  config?: string
  notYetBuilt?: string[]
  args?: string[]
  last: string
  code: number
  tells?: string
  silent?: string
}

const cases: Case[] = [
  {
    title: 'a complete run with an open gate',
    files: { one, two },
    last: '3 passed, 0 failed, 1 skipped',
    code: 0,
    tells: summary,
  },
  {
    title: 'a clause cited only by a test that is expected to fail',
    files: { one },
    notYetBuilt: [],
    last: '2 passed, 1 failed, 1 skipped',
    code: 1,
    tells: 'ledger: A-X-2 is cited only by tests that did not pass, such as "holds by failing": Two.',
  },
  {
    title: 'a stale list',
    files: { one },
    notYetBuilt: ['A-X-*'],
    last: '2 passed, 1 failed, 1 skipped',
    code: 1,
    tells: "but tests prove A-X-1: list only 'A-X-2'",
  },
  {
    title: 'failures of a test, of a file and outside both',
    files: { one, breaks, leaks, throws: `throw new Error('no test here')` },
    last: '3 passed, 3 failed, 1 skipped',
    code: 1,
    tells: summary,
  },
  {
    title: 'a test that holds at its second try',
    files: { one, wavers },
    config: 'retry: 1,',
    last: '3 passed, 0 failed, 1 skipped',
    code: 0,
    tells: 'second try: wavers.test.mjs > wavers: expected +0 to be 1',
  },
  {
    title: 'a failing global setup',
    files: { one },
    config: `globalSetup: ['./setup.mjs'],`,
    last: '0 passed, 1 failed',
    code: 1,
    silent: 'ledger:',
  },
  {
    title: 'a file filter',
    files: { one, two },
    notYetBuilt: [],
    args: ['two'],
    last: '1 passed, 0 failed',
    code: 0,
    silent: 'ledger:',
  },
  {
    title: 'a test-name filter',
    files: { one },
    notYetBuilt: [],
    args: ['-t', 'holds$'],
    last: '1 passed, 0 failed, 2 skipped',
    code: 0,
    silent: 'ledger:',
  },
]

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'quire-ledger-'))
})
afterEach(() => rm(root, { recursive: true }))

test.for(cases)('$title', { timeout: 60_000 }, async ({ files, config, notYetBuilt, args, ...expected }) => {
  await symlink(nodeModules, join(root, 'node_modules'))
  await writeFile(join(root, 'setup.mjs'), `export default () => { throw new Error('no setup') }`)
  await writeFile(join(root, 'vitest.config.mjs'), configOf(notYetBuilt ?? ['A-X-2'], config ?? ''))
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, `${name}.test.mjs`), text)

  const { code, output } = await run(args ?? [])
  expect({ code, last: output.trimEnd().split('\n').at(-1) }, output).toEqual({
    code: expected.code,
    last: expected.last,
  })
  if (expected.tells !== undefined) expect(output).toContain(expected.tells)
  if (expected.silent !== undefined) expect(output).not.toContain(expected.silent)
})

function configOf(notYetBuilt: string[], more: string): string {
  const ledger = {
    clauses: [
      { id: 'A-X-1', text: 'One.', source: 'spec 1 §1' },
      { id: 'A-X-2', text: 'Two.', source: 'spec 1 §1' },
    ],
    notYetBuilt: { 'Home: a house': notYetBuilt },
  }
  const reporter = JSON.stringify([join(here, 'reporter.ts'), { ledger }])
  return `export default { test: { ${more} include: ['*.test.mjs'], reporters: ['default', ${reporter}] } }`
}

/** Both output streams go to one file, as they would on a terminal, so that the last line is the last of both. */
async function run(args: string[]): Promise<{ code: number | null; output: string }> {
  const file = await open(join(root, 'output'), 'w+')
  const child = spawn(process.execPath, [join(nodeModules, 'vitest/vitest.mjs'), 'run', ...args], {
    cwd: root,
    env: { NO_COLOR: '1' },
    stdio: ['ignore', file.fd, file.fd],
    timeout: 50_000,
    killSignal: 'SIGKILL',
  })
  const [code] = await once(child, 'close')
  await file.close()
  return { code, output: await readFile(join(root, 'output'), 'utf8') }
}
