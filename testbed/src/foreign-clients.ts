import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withForeignClient } from './foreign-process.ts'
import { startHeaderRelay } from './header-relay.ts'

export type ForeignTarget =
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly command: string
      readonly args: readonly string[]
      /** Beside PATH and a HOME of its own. */
      readonly env?: Readonly<Record<string, string>>
    }

export type InspectorResult = {
  readonly code: number | string
  /** What the server answered; undefined when there was no answer. */
  readonly json: unknown
  /** Why there was none, or the target's own words. */
  readonly stderr: string
}

export type ConformanceOptions = {
  /** All that this revision of the protocol requires, unless a scenario is named. */
  readonly revision: string
  readonly scenario?: string
  /** The suite itself cannot send any: they are added on the way. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export type ConformanceResult = {
  /** Names of scenarios that made at least one check, and failed none. */
  readonly passed: string[]
  readonly failed: string[]
  /** Failed as well, but of no account for this revision: extensions, and what came after it. */
  readonly unscored: string[]
  readonly output: string
}

const INSPECTOR = '@modelcontextprotocol/inspector/clients/launcher/build/index.js'
const CONFORMANCE = '@modelcontextprotocol/conformance/dist/index.js'
const INSPECTOR_DEADLINE_MS = 30_000
const CONFORMANCE_DEADLINE_MS = 120_000

/** Asks a server one thing with the MCP Inspector: `['--method', 'tools/list']`, and `--protocol-era modern` for the newer protocol. */
export function runInspector(
  target: ForeignTarget,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<InspectorResult> {
  return withForeignClient(INSPECTOR, async (run, home) => {
    // On its command line the target's own options could not be told from the Inspector's.
    const config = join(home, 'target.json')
    const entry = 'url' in target ? { type: 'streamable-http', ...target } : target
    await writeFile(config, JSON.stringify({ mcpServers: { target: entry } }))
    const options = ['--config', config, '--server', 'target', '--format', 'json', '--stored-auth-only']
    const { code, stdout, stderr } = await run(
      ['--cli', ...options, ...args],
      within(INSPECTOR_DEADLINE_MS, signal),
    )
    return { code, json: stdout.trim() === '' ? undefined : JSON.parse(stdout).result, stderr }
  })
}

/** Judges a server with the protocol's own conformance suite. */
export async function runConformance(url: string, options: ConformanceOptions): Promise<ConformanceResult> {
  const { revision, scenario, headers, signal } = options
  const relay = headers === undefined ? undefined : await startHeaderRelay(url, headers)
  try {
    return await withForeignClient(CONFORMANCE, async (run, home) => {
      const results = join(home, 'results')
      const scope = scenario === undefined ? ['--requirements'] : ['--scenario', scenario, '--spec-version']
      const target = ['server', '--url', relay?.url ?? url, '--output-dir', results]
      const { code, stdout, stderr } = await run(
        [...target, ...scope, revision],
        within(CONFORMANCE_DEADLINE_MS, signal),
      )
      const output = `${stdout}\n${stderr}`
      const verdicts = await readVerdicts(results)
      if (verdicts.length === 0 || stdout.startsWith('SKIPPED'))
        throw new Error(`The conformance suite ran nothing and ended with ${code}.\n${output}`)
      const uncounted = new Set(stdout.matchAll(/^ {2}[✓✗] (\S+) \(.+\)$/gm).map(([, name = '']) => name))
      const named = (verdict: Verdict['verdict']) =>
        verdicts.filter((entry) => entry.verdict === verdict).map(({ name }) => name)
      return {
        passed: named('passed'),
        failed: named('failed').filter((name) => !uncounted.has(name)),
        unscored: named('failed').filter((name) => uncounted.has(name)),
        output,
      }
    })
  } finally {
    await relay?.close()
  }
}

function within(deadlineMs: number, signal: AbortSignal | undefined): AbortSignal {
  const deadline = AbortSignal.timeout(deadlineMs)
  return signal === undefined ? deadline : AbortSignal.any([deadline, signal])
}

type Verdict = { readonly name: string; readonly verdict: 'passed' | 'failed' | 'none' }

async function readVerdicts(folder: string): Promise<Verdict[]> {
  // No folder: it refused its arguments, and says so in its output.
  const entries = await readdir(folder).catch(() => [])
  const verdicts = entries.sort().map(async (entry): Promise<Verdict[]> => {
    const name = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry)?.[1]
    return name === undefined
      ? []
      : [{ name, verdict: await readVerdict(join(folder, entry, 'checks.json')) }]
  })
  return (await Promise.all(verdicts)).flat()
}

async function readVerdict(file: string): Promise<Verdict['verdict']> {
  let checks: { status: string }[]
  try {
    checks = JSON.parse(await readFile(file, 'utf8'))
  } catch {
    // A scenario that broke down leaves no checks.
    return 'failed'
  }
  if (checks.some(({ status }) => status === 'FAILURE')) return 'failed'
  return checks.some(({ status }) => status === 'SUCCESS') ? 'passed' : 'none'
}
