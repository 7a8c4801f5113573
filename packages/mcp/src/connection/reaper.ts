import { spawn } from 'node:child_process'

/** Reads one line. A line means "all done"; the end of the pipe means that we are gone, however we died. */
const SCRIPT = 'read -r line && exit 0; kill -s KILL -- "-$1"'

/**
 * Kills a process group once this process is gone, `kill -9` included: the kernel closes our end of the pipe.
 * The death signal of the kernel reaches only the leader of the group; this reaches what the leader started.
 */
export function armReaper(groupId: number): () => void {
  const reaper = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(groupId)], {
    detached: true,
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  reaper.unref()
  // Without a shell there is no reaper; the death signal and the end of stdin remain.
  reaper.on('error', () => undefined)
  // It ended before us: there is nobody left to tell.
  reaper.stdin.on('error', () => undefined)
  return function disarm(): void {
    reaper.stdin.end('done\n')
  }
}
