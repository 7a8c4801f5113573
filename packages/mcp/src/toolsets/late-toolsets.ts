import type { Toolsets, ToolsetsStatus } from './toolsets.ts'

export interface LateToolsets extends Toolsets {
  start(): void
}

export interface LateToolsetsOptions {
  readonly names: readonly string[]
  readonly required: readonly string[]
  /** Starts the programs. */
  readonly open: () => Toolsets
}

/** Toolsets that start when they are told to, since programs must not run before the port is ours. Until then they are as good as starting. */
export function createLateToolsets({ names, required, open }: LateToolsetsOptions): LateToolsets {
  const { promise: started, resolve } = Promise.withResolvers<Toolsets | undefined>()
  let opened: Toolsets | undefined

  function require(): Toolsets {
    if (opened) return opened
    throw new Error('The toolsets have not been started.')
  }

  async function* eventsLater(signal?: AbortSignal) {
    const toolsets = await started
    if (toolsets && !signal?.aborted) yield* toolsets.events(signal)
  }

  return Object.freeze({
    names,
    start() {
      opened ??= open()
      resolve(opened)
    },
    status: (): ToolsetsStatus =>
      opened?.status() ?? {
        initialized: names.length === 0,
        servers: Object.fromEntries(names.map((name) => [name, { ready: false, tools: [] }])),
      },
    missing: () => opened?.missing() ?? required.map((name) => `The toolset "${name}" is still starting.`),
    tools: (options) => opened?.tools(options) ?? [],
    call: (toolset, tool, args, options) => require().call(toolset, tool, args, options),
    connection: (toolset) => require().connection(toolset),
    // Once they are there nothing may be missed between the call and the first wait.
    events: (signal) => opened?.events(signal) ?? eventsLater(signal),
    async close() {
      resolve(undefined)
      await opened?.close()
    },
  } satisfies LateToolsets)
}
