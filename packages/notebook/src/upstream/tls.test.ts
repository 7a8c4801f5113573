import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type Server } from 'node:tls'
import { promisify } from 'node:util'
import { verifies } from '@quire/spec/verifies'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import { startProcess } from '@quire/testbed/process'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const CLIENT = join(import.meta.dirname, 'tls-client.fixture.ts')

let folder: string
let jupyter: Jupyter
let front: Server
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-tls-'))
  const [started] = await Promise.all([startJupyter(), createCertificates(folder)])
  jupyter = started
  front = createServer(
    { key: await readFile(join(folder, 'server.key')), cert: await readFile(join(folder, 'server.pem')) },
    (socket) => {
      const inner = connect(jupyter.port, '127.0.0.1')
      const end = () => {
        socket.destroy()
        inner.destroy()
      }
      socket.pipe(inner).pipe(socket)
      for (const side of [socket, inner]) side.on('error', end).on('close', end)
    },
  )
  // Clients that do not trust it hang up.
  front.on('tlsClientError', () => undefined)
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
})
afterAll(async () => {
  front?.close()
  await jupyter?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function runClient(env: Record<string, string>): Promise<string> {
  const { port } = front.address() as AddressInfo
  const client = startProcess(process.execPath, [CLIENT, `https://localhost:${port}`, jupyter.token], { env })
  expect(await client.exited).toBe(0)
  return client.output.stdout
}

test('a private authority named by NODE_EXTRA_CA_CERTS is trusted, by requests and by sockets', async () => {
  verifies('ALL-OPS-2')
  expect(await runClient({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })).toMatch(
    /^connected to \d.*socket open/,
  )
})

test('one that is not named is not trusted, and the error names the setting', async () => {
  const said = await runClient({})
  expect(said).toMatch(
    /Connection error: GET https:\/\/localhost:\d+\/api failed \(\w+\).*NODE_EXTRA_CA_CERTS/,
  )
  expect(said).not.toContain(jupyter.token)
})

async function createCertificates(where: string): Promise<void> {
  const openssl = (...args: string[]) => run('openssl', args, { cwd: where })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  await openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Test CA',
  )
  await openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost')
  await writeFile(join(where, 'names.txt'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
  await openssl(
    ...['x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
    ...['-out', 'server.pem', '-days', '2', '-extfile', 'names.txt'],
  )
}
