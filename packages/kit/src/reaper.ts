import { spawn } from 'node:child_process'

/** Reads one line. A line means "all done"; the end of the pipe means that we are gone, however we died. */
const SCRIPT = 'read -r line && exit 0; kill -s KILL -- "-$1"'

/**
 * Kills a process group once this process is gone, `kill -9` included: the system closes our end of the pipe.
 * It reaches what the leader of the group started, and a child in an endless loop, which hears nothing.
 */
export function armReaper(groupId: number): () => void {
  const reaper = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(groupId)], {
    detached: true,
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  reaper.unref()
  // Without a shell there is no reaper; a child that reads its pipes hears their end.
  reaper.on('error', () => undefined)
  // It ended before us: there is nobody left to tell.
  reaper.stdin.on('error', () => undefined)
  return function disarm(): void {
    reaper.stdin.end('done\n')
  }
}
