import { createLogger } from '@quire/kit/log'
import { createKernels } from './kernels.ts'
import { createJupyterServer } from './server.ts'
import { checkServer } from './status.ts'

/** Run by a test as a process of its own, because trusted authorities are read when a process starts. */
const [url = '', token = ''] = process.argv.slice(2)
const server = createJupyterServer(
  { url, token },
  { logger: createLogger({ level: 'silent', pretty: false }) },
)
const say = (line: string) => process.stdout.write(`${line}\n`)

try {
  const { version } = await checkServer(server)
  const kernels = createKernels(server)
  const { id } = await kernels.start()
  const socket = await server.openSocket(['api', 'kernels', id, 'channels'], {})
  say(`connected to ${version}, socket ${socket.readyState === socket.OPEN ? 'open' : 'closed'}`)
  socket.terminate()
  await kernels.shutdown(id)
} catch (error) {
  say(String(error))
}
await server.close()
