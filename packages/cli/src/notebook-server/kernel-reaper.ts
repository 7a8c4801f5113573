import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The variable that marks all that a Jupyter server has started. */
export const MARK = 'QUIRE_JUPYTER'

/** Kernels lead process groups of their own, so a signal to that of the server does not reach them; what they inherited does tell them. */
const SCRIPT = `read -r line
for round in 1 2 3 4 5; do
  found=$(grep -lsxzF -- "${MARK}=$1" /proc/[0-9]*/environ)
  [ -n "$found" ] || exit 0
  for file in $found; do pid=\${file#/proc/}; kill -s KILL "\${pid%/environ}" 2>/dev/null; done
done`

const REAPED_MS = 3_000

/**
 * Kills whatever carries the mark once the returned function is called, or this process is gone, `kill -9` included. Without `/proc` kernels are left to
 * themselves: those of Python look whether their server is there.
 */
export function armKernelReaper(mark: string): () => Promise<void> {
  const reaper = spawn('/bin/sh', ['-c', SCRIPT, 'sh', mark], {
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  reaper.unref()
  const ended = new Promise<void>((resolve) => {
    reaper.once('exit', () => resolve())
    // Without a shell there is no reaper.
    reaper.once('error', () => resolve())
  })
  // It ended before us: there is nobody left to tell.
  reaper.stdin.on('error', () => undefined)
  return async function reap(): Promise<void> {
    reaper.ref()
    reaper.stdin.end('done\n')
    const late = AbortSignal.timeout(REAPED_MS)
    await Promise.race([ended, once(late, 'abort')])
  }
}
