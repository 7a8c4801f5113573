import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from '../child.ts'

const launcher = join(import.meta.dirname, '../../packages/cli/bin/quire.mjs')

/** `quire --version` and `quire --help` against an empty Node, in turns. */
export function benchStart(): string[] {
  const commands = { empty: ['-e', '0'], version: [launcher, '--version'], help: [launcher, '--help'] }
  const times = { empty: [] as number[], version: [] as number[], help: [] as number[] }
  for (let round = 0; round < 21; round += 1) {
    for (const name of ['empty', 'version', 'help'] as const) {
      const startedAt = performance.now()
      const { status } = spawnSync(process.execPath, commands[name], { stdio: 'ignore' })
      if (status !== 0) throw new Error(`${commands[name].join(' ')} ended with ${status}`)
      if (round > 0) times[name].push(performance.now() - startedAt)
    }
  }
  const floor = median(times.empty)
  return (['version', 'help'] as const).map((name) => {
    const time = median(times[name])
    const aim = name === 'version' ? ' (aim: at most 2.50)' : ''
    return `quire --${name.padEnd(30)} ${(time / floor).toFixed(2)} of "node -e 0"${aim}; ${time.toFixed(0)} against ${floor.toFixed(0)} ms`
  })
}
