import { z } from 'zod'
import { ToolError } from '../tool-error.ts'
import { parseModel } from './parse-model.ts'
import type { JupyterServer } from './server.ts'
import { whileFailing } from './while-failing.ts'

/** A running kernel, as the server lists it. */
export interface KernelModel {
  readonly id: string
  /** Of its kernelspec. */
  readonly name: string
  readonly executionState: string
  readonly connections: number
  /** ISO 8601; empty where the server does not know. */
  readonly lastActivity: string
}

/** A kind of kernel that can be started. */
export interface KernelSpec {
  readonly name: string
  readonly displayName: string
  readonly language: string
  readonly environment: Readonly<Record<string, string>>
}

export interface KernelSpecs {
  readonly default: string
  readonly specs: readonly KernelSpec[]
}

export interface KernelStart {
  /** The server's default unless given. */
  readonly name?: string | undefined
  /** Of the notebook it is for: its folder is where the kernel works. */
  readonly path?: string | undefined
}

export interface Kernels {
  list(signal?: AbortSignal): Promise<readonly KernelModel[]>
  get(id: string, signal?: AbortSignal): Promise<KernelModel>
  specs(signal?: AbortSignal): Promise<KernelSpecs>
  start(what?: KernelStart, signal?: AbortSignal): Promise<KernelModel>
  interrupt(id: string, signal?: AbortSignal): Promise<void>
  restart(id: string, signal?: AbortSignal): Promise<KernelModel>
  shutdown(id: string, signal?: AbortSignal): Promise<void>
}

export const KernelAnswer = z
  .object({
    id: z.string(),
    name: z.string().nullish(),
    execution_state: z.string().nullish(),
    connections: z.number().nullish(),
    last_activity: z.string().nullish(),
  })
  .transform(
    ({ id, name, execution_state, connections, last_activity }): KernelModel => ({
      id,
      name: name ?? '',
      executionState: execution_state ?? 'unknown',
      connections: connections ?? 0,
      lastActivity: last_activity ?? '',
    }),
  )

const SpecsAnswer = z.object({
  default: z.string().nullish(),
  kernelspecs: z.record(
    z.string(),
    z.object({
      spec: z.object({
        display_name: z.string().nullish(),
        language: z.string().nullish(),
        env: z.record(z.string(), z.string()).nullish().catch(undefined),
      }),
    }),
  ),
})

/** A kernel may have to be loaded from a slow disk, and a restart waits for its end. */
export const KERNEL_START_MS = 60_000

export function createKernels(server: JupyterServer): Kernels {
  const toKernel = (answer: unknown) => parseModel(KernelAnswer, answer, { what: 'a kernel', server })
  const slow = (signal: AbortSignal | undefined) => ({ signal, timeoutMs: KERNEL_START_MS })

  return Object.freeze({
    async list(signal?: AbortSignal) {
      const answer = await whileFailing(() => server.request('GET', ['api', 'kernels'], { signal }), signal)
      return parseModel(z.array(KernelAnswer), answer, { what: 'a list of kernels', server })
    },
    async get(id: string, signal?: AbortSignal) {
      return toKernel(await server.request('GET', ['api', 'kernels', id], { signal }))
    },
    specs: (signal?: AbortSignal) => readSpecs(server, signal),
    async start({ name, path }: KernelStart = {}, signal?: AbortSignal) {
      const body = { ...(name && { name }), ...(path && { path }) }
      const answer = await withKernelName(server, name, signal, () =>
        server.request('POST', ['api', 'kernels'], { body, ...slow(signal) }),
      )
      return toKernel(answer)
    },
    async interrupt(id: string, signal?: AbortSignal) {
      await server.request('POST', ['api', 'kernels', id, 'interrupt'], { signal })
    },
    async restart(id: string, signal?: AbortSignal) {
      return toKernel(await server.request('POST', ['api', 'kernels', id, 'restart'], slow(signal)))
    },
    async shutdown(id: string, signal?: AbortSignal) {
      await server.request('DELETE', ['api', 'kernels', id], slow(signal))
    },
  })
}

/** Starts what needs a kernel. Servers only say that they fail when they have none of this name. */
export async function withKernelName<Result>(
  server: JupyterServer,
  name: string | undefined,
  signal: AbortSignal | undefined,
  start: () => Promise<Result>,
): Promise<Result> {
  try {
    return await start()
  } catch (error) {
    if (!name || !(error instanceof ToolError) || error.code !== 'failing') throw error
    const { specs } = await readSpecs(server, signal)
    if (specs.some((spec) => spec.name === name)) throw error
    throw new ToolError(
      'not_found',
      `There is no kernel named ${JSON.stringify(name)} on ${server.url}. It has: ${specs.map((spec) => spec.name).join(', ') || 'none'}.`,
      { cause: error },
    )
  }
}

async function readSpecs(server: JupyterServer, signal: AbortSignal | undefined): Promise<KernelSpecs> {
  const answer = await server.request('GET', ['api', 'kernelspecs'], { signal })
  const { default: preferred, kernelspecs } = parseModel(SpecsAnswer, answer, {
    what: 'a list of kernelspecs',
    server,
  })
  const specs = Object.entries(kernelspecs).map(([name, { spec }]) => ({
    name,
    displayName: spec.display_name ?? name,
    language: spec.language ?? '',
    environment: spec.env ?? {},
  }))
  return { default: preferred ?? '', specs }
}
