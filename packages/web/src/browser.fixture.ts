import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchChromium } from '@quire/testbed/chromium'
import { findFreePort } from '@quire/testbed/free-port'
import { type RunningProcess, startProcess } from '@quire/testbed/process'
import { source as axe } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

const LAUNCHER = fileURLToPath(new URL('../../cli/bin/quire.mjs', import.meta.url))
const ARTIFACTS = fileURLToPath(new URL('../.artifacts', import.meta.url))
const BUILT = fileURLToPath(new URL('../dist/index.html', import.meta.url))
const START_MS = 60_000
const PATIENCE_MS = 45_000
const HEIGHT = 860

export interface QuireOptions {
  /** `up`: all services behind a token. `composer`: it alone. */
  readonly kind?: 'up' | 'composer'
  /** Of the composer, as TOML; it may speak of the folder that everything lies in. */
  readonly config?: string | ((folder: string) => string)
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface PageOptions {
  /** Below the page's own base, e.g. `/servers`. */
  readonly path?: string
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  /** Without it the page asks for the token. */
  readonly isSignedIn?: boolean
}

export interface QuireInBrowser {
  readonly url: string
  /** Empty where none is needed. */
  readonly token: string
  /** Data, configuration, and whatever servers leave behind. */
  readonly folder: string
  readonly browser: Browser
  /** The address of a page, e.g. `addressOf('/servers')`. */
  addressOf(path: string): string
  /** A request of the test's own, with the token. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** To be called within a test: a tab of its own, closed at the test's end, which fails on errors of the page and on what its policy refused. */
  newPage(options?: PageOptions): Promise<Page>
  /** Ends the server and starts it again at the same address, with the same data; it is away during what is given. */
  restart(meanwhile?: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/** The real server as a child, with a folder and a port of its own, and one browser. Whoever starts it stops it in `afterAll`. */
export async function startQuireForBrowser({
  kind = 'up',
  config,
  args = [],
  env = {},
}: QuireOptions = {}): Promise<QuireInBrowser> {
  if (!existsSync(BUILT)) throw new Error('The pages are not built: run "npm run build" first.')
  const folder = await mkdtemp(join(tmpdir(), 'quire-browser-'))
  const configFile = join(folder, 'quire.toml')
  const data = join(folder, 'data')
  await writeFile(configFile, typeof config === 'function' ? config(folder) : (config ?? '[servers]\n'))
  const port = String(await findFreePort())
  const own =
    kind === 'up' ? ['up', '--composer-config', configFile] : ['composer', 'serve', '--config', configFile]
  const isUp = kind === 'up' ? /Quire is at (\S+)\// : /REST at (\S+)\/api\/v1\n/
  const started: { server?: RunningProcess; browser?: Browser } = {}

  async function start(): Promise<string> {
    const words = [LAUNCHER, ...own, '--data', data, '--port', port, ...args]
    started.server = startProcess(process.execPath, words, { env: { HOME: folder, ...env } })
    const [, url = ''] = await started.server.waitFor(isUp, 'stdout', START_MS)
    return url
  }

  async function stop(): Promise<void> {
    await Promise.allSettled([started.browser?.close(), started.server?.stop('SIGTERM')])
    await rm(folder, { recursive: true, force: true })
  }

  try {
    const [url, browser] = await Promise.all([start(), launchChromium()])
    started.browser = browser
    const isGuarded = kind === 'up' && !args.includes('--insecure-noauth')
    const token = isGuarded ? (await readFile(join(data, 'token'), 'utf8')).trim() : ''
    const addressOf = (path: string) => `${url}/ui${path}`
    return {
      url,
      token,
      folder,
      browser,
      addressOf,
      stop,
      fetch: (path, init = {}) =>
        fetch(url + path, {
          signal: AbortSignal.timeout(PATIENCE_MS),
          ...init,
          headers: { ...init.headers, ...(token !== '' && { authorization: `Bearer ${token}` }) },
        }),
      async newPage({ path = '/', isSignedIn = true, ...look } = {}) {
        const page = await openTab(browser, look)
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url })
        await page.goto(addressOf(path) + (isSignedIn && token !== '' ? `#token=${token}` : ''))
        return page
      },
      async restart(meanwhile) {
        await started.server?.stop('SIGTERM')
        await meanwhile?.()
        await start()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function openTab(
  browser: Browser,
  { theme = 'light', width = 1280 }: Pick<PageOptions, 'theme' | 'width'>,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const problems: string[] = []
  onTestFinished(async () => {
    await context.close()
    expect(problems, 'errors of the page, and what its policy refused').toEqual([])
  })
  await context.exposeBinding('quireProblem', (_source, problem: string) => void problems.push(problem))
  await context.addInitScript(REPORT_REFUSALS)
  const page = await context.newPage()
  page.on('pageerror', (error) => void problems.push(error.stack ?? error.message))
  return page
}

/** Frames within the page have policies of their own, which are meant to refuse things. */
const REPORT_REFUSALS = `if (window === top) document.addEventListener('securitypolicyviolation', (event) => {
  if (!window.quireIsChecked) window.quireProblem('refused by the policy: ' + event.violatedDirective + ' ' + event.blockedURI)
})`

/** How the browser's own questions are answered, and what was asked: those that a page puts, and `beforeunload` where somebody leaves. */
export function answerQuestions(page: Page): { isAccepting: boolean; readonly asked: string[] } {
  const answers = { isAccepting: false, asked: [] as string[] }
  page.on('dialog', (dialog) => {
    answers.asked.push(dialog.type())
    void (answers.isAccepting ? dialog.accept() : dialog.dismiss())
  })
  return answers
}

/** From the next address on, to show exactly this text fails, as a fault of the page's own would. */
export async function failAt(page: Page, text: string): Promise<void> {
  await page.addInitScript(`for (const name of ['includes', 'replaceAll', 'split']) {
    const method = String.prototype[name]
    String.prototype[name] = function (...args) {
      if (String(this) === ${JSON.stringify(text)}) throw new Error('a fault for the test')
      return method.apply(this, args)
    }
  }`)
}

/** Nothing serious for people who use a keyboard, a screen reader, or see less. */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  const options = { resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) }
  // As the browser's own tool would: a script element of ours would be refused by the page's policy.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`window.quireIsChecked = true; ${axe}`)
  const findings = await page.evaluate<string[]>(`window.quireIsChecked = true; axe
    .run(document, ${JSON.stringify(options)})
    .then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join('\\n')))
    .finally(() => { window.quireIsChecked = false })`)
  expect(findings, `findings on ${page.url()}`).toEqual([])
}

/** Kept beside the tests' results, for people to look at. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  await mkdir(ARTIFACTS, { recursive: true })
  await page.screenshot({ path: join(ARTIFACTS, `${name}.png`) })
}

const PHONE = 400
const LOOKS = [
  ['light', 1280],
  ['light', PHONE],
  ['dark', PHONE],
  ['dark', 1280],
] as const

/** Takes a picture in both themes, on a desk and on a phone; nothing is wider than the page, and axe finds nothing. */
export async function lookAround(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()
  for (const [theme, width] of LOOKS) {
    await page.emulateMedia({ colorScheme: theme })
    await page.setViewportSize({ width, height: HEIGHT })
    await page.locator(`html[data-theme=${theme}]`).waitFor()
    await takeScreenshot(page, `${name}-${theme}${width === PHONE ? '-phone' : ''}`)
    expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} at ${width}`).toBe(width)
    // Another theme is other colours, and nothing else.
    if (width !== PHONE) await expectAccessible(page, theme === 'dark' ? ['color-contrast'] : undefined)
  }
  if (before) await page.setViewportSize(before)
  await page.emulateMedia({ colorScheme: 'light' })
}
