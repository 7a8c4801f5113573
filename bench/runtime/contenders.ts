import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findFreePort } from '@quire/testbed/free-port'
import { type BenchServer, startServer } from '../child.ts'
import { toPost } from './prompt-client.ts'
import type { Pace } from './script.ts'

export interface Contender {
  readonly name: string
  readonly role: 'floor' | 'peer' | 'quire'
  start(modelPort: number): Promise<BenchServer>
  /** The HTTP request of a prompt. */
  request(pace: Pace, prompt: string): string
  /** The fragment of the answer in one event of the stream; undefined where it has none. */
  fragment(event: string): string | undefined
  /** What the last event is. */
  readonly last: string
}

const READY_MS = 30_000
const POLL_MS = 50
const PACES: readonly Pace[] = ['apart', 'burst', 'held']

const FLOOR: Contender = {
  name: 'bare relay (floor)',
  role: 'floor',
  start: (modelPort) => startServer(fileOf('floor'), toEnvironment(modelPort)),
  request: (pace, prompt) =>
    toPost('/v1/chat/completions', {
      model: pace,
      stream: true,
      messages: [{ role: 'user', content: prompt }],
    }),
  fragment: (event) => (event === '[DONE]' ? undefined : JSON.parse(event).choices[0]?.delta.content),
  last: '[DONE]',
}

const AI: Contender = {
  name: 'ai + Hono, no storage',
  role: 'peer',
  start: (modelPort) => startServer(fileOf('ai'), toEnvironment(modelPort)),
  request: (pace, message) => toPost('/prompt', { model: pace, message }),
  fragment: (event) => (event === '[DONE]' ? undefined : JSON.parse(event).delta),
  last: '[DONE]',
}

const MASTRA: Contender = {
  ...AI,
  name: 'Mastra + Hono, no storage',
  start: (modelPort) => startServer(fileOf('mastra'), toEnvironment(modelPort)),
}

const QUIRE: Contender = {
  name: 'Quire, SQLite',
  role: 'quire',
  async start(modelPort) {
    const home = await mkdtemp(join(tmpdir(), 'quire-bench-'))
    const server = await startQuire(home, modelPort)
    for (const pace of PACES) {
      const body = { id: pace, name: pace, model: `openai-compatible:${pace}` }
      await call(server.port, '/api/v1/agents', body)
    }
    return {
      ...server,
      async stop() {
        await server.stop()
        await rm(home, { recursive: true, force: true, maxRetries: 5 })
      },
    }
  },
  request: (pace, message) => toPost(`/api/v1/agents/${pace}/prompt`, { message }),
  fragment: (event) => JSON.parse(event).content,
  last: '{"type":"done"}',
}

/** In the order in which they take their turns. */
export const CONTENDERS: readonly Contender[] = [FLOOR, AI, MASTRA, QUIRE]

/** The agent runtime with its database in `home`, which stays. */
export async function startQuire(home: string, modelPort = 9): Promise<BenchServer> {
  const port = await findFreePort()
  const server = await startServer(fileOf('quire'), {
    ...toEnvironment(modelPort),
    QUIRE_BENCH_PORT: String(port),
    QUIRE_DATA_DIR: home,
    HOME: home,
    XDG_STATE_HOME: home,
  })
  const endsAt = performance.now() + READY_MS
  while (!(await isReady(port))) {
    if (performance.now() > endsAt) {
      await server.stop()
      throw new Error(`quire runtime serve was not ready after ${READY_MS} ms`)
    }
    await wait(POLL_MS)
  }
  return server
}

export function startModel(): Promise<BenchServer> {
  return startServer(fileOf('model'))
}

/** Lets the held answers go on. */
export async function release(modelPort: number): Promise<void> {
  await call(modelPort, '/release', {})
}

async function call(port: number, path: string, body: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/api/v1/ready`)).ok
  } catch {
    // Not listening yet.
    return false
  }
}

function fileOf(name: 'floor' | 'ai' | 'mastra' | 'quire' | 'model'): string {
  return join(import.meta.dirname, `${name}-server.ts`)
}

function toEnvironment(modelPort: number): Record<string, string> {
  return { OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${modelPort}/v1` }
}
