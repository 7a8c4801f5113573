import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '@quire/testbed/free-port'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createLinks, fixture } from '../link/link.fixture.ts'
import { readConfigFile } from './read-config-file.ts'

const links = createLinks()
let folder = ''

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'quire-folder-')))
  await mkdir(join(folder, 'config/work'), { recursive: true })
  for (const name of ['plain-server.ts', 'plain-http-server.ts'])
    await symlink(fixture(name), join(folder, name))
  for (const place of ['config', 'config/work']) {
    await writeFile(join(folder, place, 'run.sh'), '#!/bin/sh\npwd >&2\nexec "$NODE" "$@"\n')
    await chmod(join(folder, place, 'run.sh'), 0o755)
  }
})
afterEach(links.closeAll)
afterAll(() => rm(folder, { recursive: true }))

test('a program and its arguments are found from the folder of the file', async () => {
  const command = '["./run.sh", "../plain-server.ts", "both"]'
  expect(await placeOf(`[[servers.proxied.stdio]]\ncommand = ${command}`)).toBe(join(folder, 'config'))
})

test('so are those of a server with an address', async () => {
  const port = await findFreePort()
  const command = `["./run.sh", "../plain-http-server.ts", "both", "${port}"]`
  const text = `[[servers.proxied.http]]\nurl = "http://127.0.0.1:${port}/mcp"\ncommand = ${command}`
  expect(await placeOf(text)).toBe(join(folder, 'config'))
})

test('a working_dir begins there too, and all else in it', async () => {
  const command = '["./run.sh", "../../plain-server.ts", "both"]'
  const text = `[[servers.proxied.stdio]]\nworking_dir = "./work"\ncommand = ${command}`
  expect(await placeOf(text)).toBe(join(folder, 'config/work'))
})

/** Where the only server of a file runs, which is the only path that it says: its stdout may be heard first. */
async function placeOf(text: string): Promise<string | undefined> {
  const path = join(folder, 'config/quire.toml')
  await writeFile(path, `${text}\nname = "s"\nenv = { NODE = "\${NODE}" }\n`)
  const { config } = await readConfigFile(path, { environment: { NODE: process.execPath } })
  const [server] = config.servers
  if (!server) throw new Error('the file has no server')
  const { told } = await links.open(server)
  return told.stderr.find((line) => line.startsWith('/'))
}
