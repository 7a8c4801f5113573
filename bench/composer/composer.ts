import { arePeersInstalled, gateways, QUIRE_COMMAND } from './gateways.ts'
import { benchExactness, benchIdleMemory, benchLogFollowers, benchToolSearch } from './quire-alone.ts'
import { benchThroughput } from './throughput.ts'

const NO_PEERS =
  'Not all peers are installed, so they are left out: run "npm ci --ignore-scripts" in bench/peers first.'

/** What the composer adds to a call, beside a bare relay and the gateways of others; and what it stands. */
export async function benchComposer(quireCommand: readonly string[] = QUIRE_COMMAND): Promise<string[]> {
  const lines = arePeersInstalled() ? [] : [NO_PEERS]
  lines.push(...(await benchThroughput(gateways(quireCommand))), '')
  for (const bench of [benchExactness, benchToolSearch, benchLogFollowers, benchIdleMemory]) {
    // What has been measured so far is told all the same.
    lines.push(await bench(quireCommand).catch((error: unknown) => `${bench.name} failed: ${String(error)}`))
  }
  return lines
}
