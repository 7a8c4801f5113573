import { z } from 'zod'
import { parseServerPath } from './address.ts'
import { KERNEL_START_MS, KernelAnswer, type KernelModel, withKernelName } from './kernels.ts'
import { parseModel } from './parse-model.ts'
import type { JupyterServer } from './server.ts'
import { whileFailing } from './while-failing.ts'

/** What ties a notebook to its kernel, so that whoever opens the notebook finds the same one. */
export interface Session {
  readonly id: string
  readonly path: string
  readonly type: string
  readonly kernel: KernelModel
}

export interface SessionStart {
  readonly path: string
  /** The server's default unless given. */
  readonly kernelName?: string | undefined
  /** A running kernel to use. */
  readonly kernelId?: string | undefined
}

export interface Sessions {
  /** Those that have a kernel. */
  list(signal?: AbortSignal): Promise<readonly Session[]>
  find(path: string, signal?: AbortSignal): Promise<Session | undefined>
  /** A path that has a session keeps it: then that one comes back. */
  create(what: SessionStart, signal?: AbortSignal): Promise<Session>
  /** The server shuts down the kernel that the session had before. */
  changeKernel(id: string, kernelId: string, signal?: AbortSignal): Promise<Session>
  /** After the notebook was renamed. */
  move(id: string, path: string, signal?: AbortSignal): Promise<Session>
  /** Its kernel is shut down with it. */
  delete(id: string, signal?: AbortSignal): Promise<void>
}

const SessionAnswer = z.object({
  id: z.string(),
  path: z.string(),
  type: z.string(),
  kernel: KernelAnswer,
})
const ListAnswer = z.array(SessionAnswer.extend({ kernel: KernelAnswer.nullish() }))

export function createSessions(server: JupyterServer): Sessions {
  const toSession = (answer: unknown): Session =>
    parseModel(SessionAnswer, answer, { what: 'a session', server })

  async function list(signal?: AbortSignal): Promise<readonly Session[]> {
    const answer = await whileFailing(() => server.request('GET', ['api', 'sessions'], { signal }), signal)
    const all = parseModel(ListAnswer, answer, { what: 'a list of sessions', server })
    return all.flatMap(({ kernel, ...rest }) => (kernel ? [{ ...rest, kernel }] : []))
  }

  async function change(id: string, body: object, signal: AbortSignal | undefined): Promise<Session> {
    return toSession(await server.request('PATCH', ['api', 'sessions', id], { body, signal }))
  }

  return Object.freeze({
    list,
    async find(path: string, signal?: AbortSignal) {
      return (await list(signal)).find((session) => session.path === path)
    },
    async create({ path, kernelName, kernelId }: SessionStart, signal?: AbortSignal) {
      const kernel = kernelId ? { id: kernelId } : kernelName ? { name: kernelName } : {}
      const body = { path, name: nameIn(path), type: 'notebook', kernel }
      const answer = await withKernelName(server, kernelId ? undefined : kernelName, signal, () =>
        server.request('POST', ['api', 'sessions'], { body, signal, timeoutMs: KERNEL_START_MS }),
      )
      return toSession(answer)
    },
    changeKernel: (id: string, kernelId: string, signal?: AbortSignal) =>
      change(id, { kernel: { id: kernelId } }, signal),
    move: (id: string, path: string, signal?: AbortSignal) =>
      change(id, { path, name: nameIn(path) }, signal),
    async delete(id: string, signal?: AbortSignal) {
      await server.request('DELETE', ['api', 'sessions', id], { signal, timeoutMs: KERNEL_START_MS })
    },
  })
}

/** Looked at like every path, though it goes into a body. */
function nameIn(path: string): string {
  return parseServerPath(path).at(-1) ?? ''
}
