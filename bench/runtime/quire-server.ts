// `quire runtime serve` on the port of `QUIRE_BENCH_PORT`, as a program that also answers for its usage.
import { report } from '../child.ts'

const port = Number(process.env.QUIRE_BENCH_PORT)
// Not listening yet: whoever starts it waits until it answers.
report(port)
process.argv.push('runtime', 'serve', '--host', '127.0.0.1', '--port', String(port), '--log-level', 'error')
await import(new URL('../../packages/cli/bin/quire.mjs', import.meta.url).href)
