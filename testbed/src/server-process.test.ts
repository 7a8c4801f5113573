import { expect, onTestFinished, test } from 'vitest'
import { findFreePort } from './free-port.ts'
import { createOwnedFolder, findProcesses, removeOwnedFolder } from './owned-folder.ts'
import { startServerProcess } from './server-process.ts'

async function prepare(script: string) {
  const folder = await createOwnedFolder('process')
  onTestFinished(() => removeOwnedFolder(folder))
  const port = await findFreePort()
  return {
    name: 'The server',
    command: process.execPath,
    args: ['-e', script, String(port)],
    env: { PATH: '/usr/bin:/bin', HOME: folder },
    cwd: folder,
    readyUrl: `http://127.0.0.1:${port}/`,
  }
}

test('a server that is never ready is killed at the deadline, and its words are told', async () => {
  const options = await prepare('console.error("still thinking"); setInterval(() => {}, 1000)')
  await expect(startServerProcess({ ...options, deadlineMs: 1_500 })).rejects.toThrow(
    'The server did not start: it was not ready after 1.5 s.\nstill thinking',
  )
  expect(await findProcesses(options.cwd)).toStrictEqual([])
})

test('a server that takes connections and never answers is not ready either', async () => {
  const options = await prepare('require("net").createServer(() => {}).listen(+process.argv[1], "127.0.0.1")')
  await expect(startServerProcess({ ...options, deadlineMs: 1_500 })).rejects.toThrow('not ready')
  expect(await findProcesses(options.cwd)).toStrictEqual([])
})

test('what cannot be executed is told as well', async () => {
  const options = await prepare('')
  await expect(startServerProcess({ ...options, command: '/nowhere/server' })).rejects.toThrow(
    '/nowhere/server',
  )
})

test('one that is ready ends when it is asked to, more than once', async () => {
  const options = await prepare(
    'require("http").createServer((_, response) => response.end()).listen(+process.argv[1], "127.0.0.1")',
  )
  const server = await startServerProcess(options)
  expect(await findProcesses(options.cwd)).toHaveLength(1)
  await Promise.all([server.end(), server.end()])
  await server.end()
  expect(await findProcesses(options.cwd)).toStrictEqual([])
})
