import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startModelPeer } from '@quire/testbed/model-peer/model-peer'
import type { Act, Turn } from '@quire/testbed/model-peer/script'
import type { Page } from 'playwright-core'
import { type QuireInBrowser, startQuireForBrowser } from '../browser.fixture.ts'

const TOOLS_SERVER = fileURLToPath(new URL('./tools-server.fixture.mjs', import.meta.url))
const MODEL = 'openai:gpt-5'

export interface QuireWithModel {
  readonly quire: QuireInBrowser
  /** What the model answers next, in this order. */
  willAnswer(...turns: readonly Turn[]): void
  createAgent(body: Readonly<Record<string, unknown>>): Promise<void>
  stop(): Promise<void>
}

/** The whole of Quire, with a scripted model behind it and a toolset `sample`. */
export async function startQuireWithModel(): Promise<QuireWithModel> {
  // The peer takes the next entry when it is asked: those to come are added behind.
  const script: Turn[] = []
  const peer = await startModelPeer(script)
  const folder = await mkdtemp(join(tmpdir(), 'quire-agents-'))
  const config = join(folder, 'mcp.json')
  await writeFile(
    config,
    JSON.stringify({ mcpServers: { sample: { command: process.execPath, args: [TOOLS_SERVER] } } }),
  )
  const quire = await startQuireForBrowser({
    args: ['--mcp-config', config, '--require-toolset', 'sample'],
    env: { OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: `${peer.url}/v1` },
  })
  return {
    quire,
    willAnswer: (...turns) => void script.push(...turns),
    async createAgent(body) {
      const response = await quire.fetch('/runtime/api/v1/agents', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: MODEL, mcp_toolsets: ['sample'], ...body }),
      })
      if (!response.ok) throw new Error(await response.text())
    },
    async stop() {
      await Promise.allSettled([quire.stop(), peer.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function ask(page: Page, name: string, text: string): Promise<void> {
  const box = page.getByLabel(`Message to ${name}`)
  await box.fill(text)
  await box.press('Enter')
}

export function toCall(name: string, args: string, id = `call_${name}`): Act[] {
  return [
    { call: id, name },
    { args, of: id },
  ]
}
