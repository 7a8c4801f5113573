import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchChromium } from '@quire/testbed/chromium'
import { startProcess } from '@quire/testbed/process'
import type { Page } from 'playwright-core'

const LAUNCHER = fileURLToPath(new URL('../../packages/cli/bin/quire.mjs', import.meta.url))
const START_MS = 60_000
const PATIENCE_MS = 120_000

export interface QuireInBrowser {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A tab of its own, signed in, which keeps the sockets that its page opens in `window.sockets`. */
  open(path: string): Promise<Page>
  close(): Promise<void>
}

/** The whole of Quire in a process of its own, and a browser. */
export async function openQuire(environment: Readonly<Record<string, string>>): Promise<QuireInBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-bench-web-'))
  const program = startProcess(process.execPath, [LAUNCHER, 'up', '--port', '0', '--data', folder], {
    env: { HOME: folder, ...environment },
  })
  const [[, url = ''], browser] = await Promise.all([
    program.waitFor(/Quire is at (\S+)\//, 'stdout', START_MS),
    launchChromium(),
  ])
  const token = (await readFile(join(folder, 'token'), 'utf8')).trim()
  return {
    url,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    async open(path) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
      page.setDefaultTimeout(PATIENCE_MS)
      await page.addInitScript(`window.sockets = []
        window.WebSocket = class extends WebSocket { constructor(...words) { super(...words); window.sockets.push(this) } }`)
      await page.goto(`${url}/ui${path}#token=${token}`)
      return page
    },
    async close() {
      await browser.close()
      await program.stop('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
