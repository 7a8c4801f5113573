import { startPostgres } from './postgres.ts'

/** A test run that is killed before it can clean up. Writes the cluster's address. */
const cluster = await startPostgres()
process.stdout.write(`${cluster.url}\n`)
setInterval(() => undefined, 60_000)
