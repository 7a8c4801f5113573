import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createOwnedFolder, removeOwnedFolder } from './owned-folder.ts'

export type ForeignResult = {
  /** The exit code, or the signal's name. */
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

export type ForeignRun = (args: readonly string[], signal: AbortSignal) => Promise<ForeignResult>

const MODULES = new URL('../foreign/node_modules/', import.meta.url)
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024

/** Lets `use` run a script of the foreign clients with a home folder of its own; whatever that has started is gone afterwards. */
export async function withForeignClient<Result>(
  script: string,
  use: (run: ForeignRun, home: string) => Promise<Result>,
): Promise<Result> {
  const path = fileURLToPath(new URL(script, MODULES))
  if (!existsSync(path)) {
    throw new Error(
      'This test needs the foreign MCP clients and they are not installed: run "node scripts/setup.mjs --test" (or "npm test", which does).',
    )
  }
  const home = await createOwnedFolder('foreign')
  try {
    return await use((args, signal) => run([path, ...args], home, signal), home)
  } finally {
    await removeOwnedFolder(home)
  }
}

function run(args: readonly string[], home: string, signal: AbortSignal): Promise<ForeignResult> {
  return new Promise((resolve, reject) => {
    execFile(
      '/usr/bin/setpriv',
      ['--pdeathsig', 'KILL', '--', process.execPath, ...args],
      {
        cwd: home,
        env: {
          PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
          HOME: home,
          MCP_INSPECTOR_SECRET_STORE: 'memory',
        },
        signal,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_OUTPUT_BYTES,
      },
      (error, stdout, stderr) => {
        if (signal.aborted)
          reject(new Error(`${args.join(' ')} was cut short: ${signal.reason}\n${stdout}\n${stderr}`))
        else resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? 'unknown'), stdout, stderr })
      },
    )
  })
}
