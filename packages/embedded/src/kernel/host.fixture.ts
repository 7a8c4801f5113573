// A process with one kernel in an endless loop. It tells its parent the id of the kernel's process, and at SIGUSR1 whether its debugger listens.
import { url } from 'node:inspector'
import { createLogger } from '@quire/kit/log'
import { ask } from './kernel.fixture.ts'
import { createPyodideKernels } from './pyodide-kernels.ts'

const [, , folder = ''] = process.argv
const kernels = createPyodideKernels({ logger: createLogger({ level: 'silent', pretty: false }) })
const kernel = kernels.start({ specName: 'python3', folder, path: '' })
// A listener of our own would keep the debugger shut too: it must not be the only one.
const held = process.listenerCount('SIGUSR1')
process.on('SIGUSR1', () => process.send?.({ held, debuggerUrl: url() ?? null }))
kernel.onMessage(({ header, content }) => {
  if (header.msg_type === 'stream') process.send?.({ kernelPid: Number(content.text) })
})
ask(kernel, 'execute_request', { code: 'import js\nprint(js.process.pid)\nwhile True: pass' })
