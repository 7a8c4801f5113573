import { z } from 'zod'
import { ToolError } from '../tool-error.ts'
import { ADDRESS_HINT } from './failure.ts'
import { parseModel } from './parse-model.ts'
import type { JupyterServer } from './server.ts'
import { whileFailing } from './while-failing.ts'

const VersionAnswer = z.object({ version: z.string() })
const StatusAnswer = z.object({ kernels: z.number() })

/** Throws unless it is a Jupyter server that accepts our credentials. */
export async function checkServer(server: JupyterServer, signal?: AbortSignal): Promise<{ version: string }> {
  const version = await readVersion(server, signal)
  const status = await whileFailing(() => server.request('GET', ['api', 'status'], { signal }), signal)
  parseModel(StatusAnswer, status, { what: 'the status of a Jupyter server', server })
  return { version }
}

/** Told to anybody, so that a wrong address is not taken for a wrong token. */
async function readVersion(server: JupyterServer, signal: AbortSignal | undefined): Promise<string> {
  try {
    const answer = await server.request('GET', ['api'], { signal })
    return parseModel(VersionAnswer, answer, { what: 'the version of a Jupyter server', server }).version
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'not_found') throw error
    throw new ToolError(
      'unreachable',
      `${server.url} does not look like a Jupyter server: ${error.message} ${ADDRESS_HINT}`,
      { cause: error },
    )
  }
}
