import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setInterval } from 'node:timers/promises'
import { startModelPeer } from '@quire/testbed/model-peer/model-peer'
import { type Act, createGate, type Gate, type Turn } from '@quire/testbed/model-peer/script'
import { build } from 'vite'
import { openQuire, type QuireInBrowser } from './quire-in-browser.ts'
import { type LongTasks, readHeap, watchTasks } from './tasks.ts'

const WEB = join(import.meta.dirname, '../../packages/web')
const LINES = 100_000
const SCROLLED_FRAMES = 300
const POINTS_OF_TEN_MINUTES = 36_000
const TOKENS = 10_000
const TOKENS_PER_SECOND = 200
const TOKENS_AT_ONCE = 4
const IDLE_MS = 3_000

/** What the pages cost whoever looks at them. The frames of a page that does nothing are the floor. */
export async function benchWeb(): Promise<readonly string[]> {
  const lines = [`web: built in ${await timeBuild()} s (at most 30)`]
  const gates: Gate[] = []
  const script: Turn[] = [{ acts: toActs(gates) }]
  const peer = await startModelPeer(script)
  const quire = await openQuire({ OPENAI_API_KEY: 'key-of-the-bench', OPENAI_BASE_URL: `${peer.url}/v1` })
  try {
    lines.push(`web: first load of the entry page ${await weighEntry(quire)} KiB compressed (at most 350)`)
    const idle = await watchIdle(quire)
    lines.push(`web: an idle page draws ${idle} frames a second`)
    lines.push(`web: ${LINES} lines of log, scrolled through: ${toWords(await scrollLogs(quire), idle)}`)
    lines.push(`web: metrics, ten minutes of 60 points a second: ${await growMetrics(quire)}`)
    lines.push(
      `web: chat, ${TOKENS} tokens at ${TOKENS_PER_SECOND}/s: ${toWords(await chat(quire, gates), idle)}`,
    )
  } finally {
    await quire.close()
    await peer.close()
  }
  return lines
}

async function timeBuild(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'quire-bench-build-'))
  const start = performance.now()
  await build({
    root: WEB,
    configFile: join(WEB, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
  })
  const seconds = (performance.now() - start) / 1000
  await rm(outDir, { recursive: true })
  return seconds.toFixed(1)
}

/** As it came over the wire, in KiB. */
async function weighEntry({ open }: QuireInBrowser): Promise<number> {
  const page = await open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  const bytes = await page.evaluate<number>(
    `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => name.includes('/ui'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
  )
  await page.close()
  return Math.round(bytes / 1024)
}

async function watchIdle({ open }: QuireInBrowser): Promise<number> {
  const page = await open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const read = await watchTasks(page)
  await page.waitForTimeout(IDLE_MS)
  const { framesPerSecond } = await read()
  await page.close()
  return framesPerSecond
}

/** Lines through the page's own socket, some hundred in every frame; then from the end to the beginning and back. */
async function scrollLogs({ open }: QuireInBrowser): Promise<LongTasks> {
  const page = await open('/logs')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.evaluate(`(async () => {
    for (let id = 1_000_000; id < ${1_000_000 + LINES}; id += 1) {
      const message = 'line ' + id + ' of many: a client was answered in ' + (id % 97) + ' ms'
      const level = id % 100 === 0 ? 'ERROR' : 'INFO'
      const data = JSON.stringify({ type: 'log', id, timestamp: new Date().toISOString(), level, server: 'many', message })
      window.sockets[0].dispatchEvent(new MessageEvent('message', { data }))
      if (id % 800 === 0) await new Promise(requestAnimationFrame)
    }
  })()`)
  await page.getByText(/^100,000 lines/).waitFor()
  const read = await watchTasks(page)
  await page.evaluate(`(async () => {
    const list = document.querySelector('[role=listbox]')
    const end = list.scrollHeight
    for (let step = 0; step < ${SCROLLED_FRAMES}; step += 1) {
      list.scrollTop = end * Math.abs(1 - (2 * step) / ${SCROLLED_FRAMES})
      await new Promise(requestAnimationFrame)
    }
  })()`)
  const seen = await read()
  await page.close()
  return seen
}

async function growMetrics({ open }: QuireInBrowser): Promise<string> {
  const page = await open('/metrics')
  await page.locator('canvas').nth(5).waitFor()
  const session = await page.context().newCDPSession(page)
  const feed = () =>
    page.evaluate(`(async () => {
      const start = Date.now() - 605_000
      for (let index = 0; index < ${POINTS_OF_TEN_MINUTES}; index += 1) {
        const data = JSON.stringify({
          type: 'metrics', timestamp: new Date(start + (index * 1_000) / 60).toISOString(), http_requests_total: index,
          tool_invocations_total: index * 2, tool_errors_total: index >> 4, server_restarts_total: 0, servers_running: 1,
          tools_total: 2, cpu_percent: 20 + 10 * Math.sin(index / 2000), memory_percent: 3, uptime_seconds: index,
        })
        window.sockets[0].dispatchEvent(new MessageEvent('message', { data }))
        if (index % 600 === 0) await new Promise(requestAnimationFrame)
      }
    })()`)
  await feed()
  const first = await readHeap(session)
  for (let round = 0; round < 5; round += 1) await feed()
  const last = await readHeap(session)
  await page.close()
  return `the heap after six such spans is ${(last / first).toFixed(2)} of that after one`
}

async function chat({ open, url, headers }: QuireInBrowser, gates: readonly Gate[]): Promise<LongTasks> {
  const body = JSON.stringify({ id: 'bench', name: 'Bench', model: 'openai:gpt-5', mcp_toolsets: [] })
  const made = await fetch(`${url}/runtime/api/v1/agents`, { method: 'POST', headers, body })
  if (!made.ok) throw new Error(await made.text())
  const page = await open('/agents/bench')
  await page.getByLabel('Message to Bench').fill('Write a book')
  await page.getByLabel('Message to Bench').press('Enter')
  await page.getByRole('heading', { name: 'Chapter 0', exact: true }).waitFor()
  const read = await watchTasks(page)
  let next = 0
  for await (const _ of setInterval((TOKENS_AT_ONCE * 1_000) / TOKENS_PER_SECOND)) {
    gates[next]?.open()
    next += 1
    if (next >= gates.length) break
  }
  // By its attribute: to look for a text, the driver's own code would read the whole page again and again.
  await page.locator('[aria-label="Send"]').waitFor()
  const seen = await read()
  await page.close()
  return seen
}

function toWords({ count, longestMs, totalMs, framesPerSecond }: LongTasks, idle: number): string {
  return `${count} tasks beyond 50 ms, ${totalMs} ms in all, the longest ${longestMs} ms; ${framesPerSecond} frames a second (${(framesPerSecond / idle).toFixed(2)} of idle)`
}

function toActs(gates: Gate[]): Act[] {
  const acts: Act[] = []
  for (let token = 0; token < TOKENS; token += 1) {
    acts.push({ text: toToken(token) })
    if (token % TOKENS_AT_ONCE !== TOKENS_AT_ONCE - 1) continue
    const gate = createGate()
    gates.push(gate)
    acts.push({ gate })
  }
  return [...acts, { text: '\n\nThe end.' }]
}

const WORDS_PER_CHAPTER = 200

/** Headings, paragraphs, a list and a block of code in turn. */
function toToken(token: number): string {
  const place = token % WORDS_PER_CHAPTER
  if (place === 0) return `\n\n## Chapter ${Math.floor(token / WORDS_PER_CHAPTER)}\n\n`
  if (place === 80) return '\n\n- first **bold**\n- second\n\n'
  if (place === 120) return '\n\n```python\n'
  if (place === 150) return '\n```\n\n'
  return place > 120 && place < 150 ? `x${token} = ${token}\n` : `word${token} `
}
