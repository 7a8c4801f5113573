import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { TestProject } from 'vitest/node'
import { type PostgresCluster, startPostgres } from './postgres.ts'
import './test-database.ts'

/**
 * Test files run in processes of their own, so the one cluster of a run lives here and is handed out over loopback.
 * It starts with the first test that asks: a run that needs no database neither waits for one nor needs one installed.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let cluster: Promise<PostgresCluster> | undefined
  let created = 0

  async function answer(request: IncomingMessage): Promise<object> {
    cluster ??= startPostgres()
    const { url, execute } = await cluster
    if (request.method === 'POST') {
      const name = `test_${++created}`
      await execute(`create database ${name}`)
      return { url: new URL(name, url).href }
    }
    const name = /^\/(test_\d+)$/.exec(request.url ?? '')?.[1]
    if (name === undefined) throw new Error(`There is no test database ${request.url}.`)
    await execute(`drop database if exists ${name} with (force)`)
    return {}
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (body) => response.end(JSON.stringify(body)),
      (error: Error) => response.writeHead(503).end(error.message),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The test database server has no port.')
  project.provide('testDatabaseServer', `http://127.0.0.1:${address.port}`)

  return async () => {
    server.closeAllConnections()
    server.close()
    // A cluster that did not start has told its reason to the test that asked for it.
    await cluster?.then(
      (started) => started.stop(),
      () => undefined,
    )
  }
}
