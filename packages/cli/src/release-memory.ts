import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Gives back what loading and starting have left behind, some 30 MiB that the engine would otherwise keep for a load that may never come.
 * Stops everything for some 50 ms, so it is for the moment after the start. What is compiled from then on is kept, and so are
 * the shapes of objects that it is compiled for: the engine would throw both away while nobody asks, and the first thousands of calls after a pause
 * would cost several times as much.
 */
export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: NodeJS.GCFunction = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  setFlagsFromString('--no-flush-bytecode')
  setFlagsFromString('--retain-maps-for-n-gc=1000')
}
