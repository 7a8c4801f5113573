import { join } from 'node:path'
import { startProcess } from '@quire/testbed/process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LAUNCHER } from './notebook.fixture.ts'
import { createRuntimeFolder, type RuntimeFolder } from './runtime.fixture.ts'

let folder: RuntimeFolder
beforeAll(async () => {
  folder = await createRuntimeFolder()
})
afterAll(() => folder.remove())

test.each([
  [['--tls-cert', 'x.pem'], /--tls-cert and --tls-key .*give both or neither/],
  [['--tls-cert', '/no.pem', '--tls-key', '/no.pem'], /--tls-cert \(\/no\.pem\): cannot be read/],
  [['--port', '99999'], /--port .*must be 0 to 65535/],
  [['--allowed-host', 'http://x'], /--allowed-host .*must be a host name/],
  [['--host', 'no.such.host.invalid'], /is no name that this machine knows|is no address/],
  [['--nonsense'], /unknown option '--nonsense'/],
])('%j is refused in one line', async (args, message) => {
  const one = startProcess(process.execPath, [LAUNCHER, 'up', '--port', '0', ...args], {
    env: { QUIRE_DATA_DIR: join(folder.path, 'data'), NOTEBOOK_URL: 'http://127.0.0.1:9' },
  })
  expect(await one.exited).toBe(1)
  expect(one.output.stderr).toMatch(message)
  expect(one.output.stderr).not.toMatch(/\n\s+at /)
})
