import { setImmediate } from 'node:timers/promises'
import { createGuide } from '@quire/agent/guide'
import type { Model } from '@quire/agent/model'
import { createModels, type Models } from '@quire/agent/models'
import { closeAll } from '@quire/kit/close-all'
import { createLogger } from '@quire/kit/log'
import { createMetrics } from '@quire/kit/metrics'
import { createRedactor } from '@quire/kit/redact'
import { serve } from '@quire/kit/serve/serve'
import { openStore } from '@quire/kit/store/store'
import { createRuntime, type RuntimeOptions } from './create-runtime.ts'

/** A model that says so much and then nothing more, until it is told to stop. */
export function createEndlessModel(): Model {
  return {
    id: 'builtin:guide',
    contextWindow: undefined,
    cost: () => 0,
    async *stream({ signal }) {
      yield { type: 'text', text: 'Let me think. ' }
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      signal.throwIfAborted()
    },
  }
}

/** A model whose every word is a frame of its own, and that calls a tool in between. */
export function createHaltingModel(): Model {
  return {
    id: 'builtin:guide',
    contextWindow: undefined,
    cost: () => 0,
    async *stream({ messages }) {
      const isAnswered = messages.at(-1)?.role === 'tool'
      for (const text of isAnswered ? ['four ', 'five '] : ['one ', 'two ', 'three ']) {
        yield { type: 'text', text }
        await afterReaders()
      }
      if (!isAnswered) yield { type: 'tool_call', id: 'c1', name: 'nothing', argsText: '{}' }
      const usage = { promptTokens: 1, completionTokens: 1 }
      yield { type: 'finish', reason: isAnswered ? 'stop' : 'tool_calls', usage }
    },
  }
}

/** What was said before is on its way to them by then. */
async function afterReaders(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
}

export interface RuntimeFixture {
  readonly url?: string
  readonly guide?: Model
}

/** The whole service on a real port and a real database. */
export async function startRuntime(
  options: Partial<RuntimeOptions> = {},
  { url = 'sqlite::memory:', guide = createGuide() }: RuntimeFixture = {},
) {
  const store = await openStore(url)
  const log: string[] = []
  const redactor = createRedactor()
  const logger = createLogger({
    level: 'debug',
    pretty: false,
    redactor,
    destination: { write: (line) => log.push(line) },
  })
  const models: Models = createModels({ environment: {}, guide })
  const runtime = await createRuntime(
    {
      version: '1.2.3',
      defaultModel: 'builtin:guide',
      toolsets: new Map(),
      requiredToolsets: [],
      environment: process.env,
      apiKeys: [],
      isAlwaysOpen: false,
      guards: {},
      ...options,
    },
    { store, models, logger, redactor, metrics: createMetrics({ service: 'runtime' }) },
  ).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const listening = await serve({ fetch: runtime.fetch, host: '127.0.0.1', port: 0 })
  runtime.start()

  function ask(method: string, path: string, { key, body }: { key?: string; body?: unknown } = {}) {
    return fetch(`${listening.url}${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  return {
    runtime,
    store,
    log,
    ask,
    url: listening.url,
    port: listening.port,
    /** The status alone. */
    async status(path: string, key?: string): Promise<number> {
      const response = await ask('GET', path, key === undefined ? {} : { key })
      await response.body?.cancel()
      return response.status
    },
    async close() {
      await listening.close(0)
      await closeAll([runtime, store])
    },
  }
}
