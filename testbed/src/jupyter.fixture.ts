import { startJupyter } from './jupyter.ts'

/** A test run that is killed before it can clean up. Writes the folder of a server that has a kernel. */
const server = await startJupyter()
const headers = { authorization: `token ${server.token}` }
const answer = await fetch(`${server.url}/api/kernels`, { method: 'POST', headers })
if (answer.status !== 201) throw new Error(`There is no kernel: ${answer.status} ${await answer.text()}`)
process.stdout.write(`${server.root}\n`)
setInterval(() => undefined, 60_000)
