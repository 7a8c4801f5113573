import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context, Env, Hono } from 'hono'
import { FRAME_PAGE, FRAME_POLICY } from './frame-page.ts'
import type { UiFile, UiFiles } from './ui-files.ts'

export interface UiOptions {
  readonly files: UiFiles
  /** Of the page, in this app, e.g. `/ui`. */
  readonly path: string
  /** The prefix that clients see before it: that of the app, where it is mounted below another. */
  readonly prefix: string
  /** Told to the page as JSON. */
  readonly served: Readonly<Record<string, unknown>>
}

/** Text is text: whatever else an output or a tool may bring is shown in frames with a policy of their own. */
export const UI_POLICY = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = Object.freeze({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Whoever opened this page in a window keeps no hold of it.
  'cross-origin-opener-policy': 'same-origin',
})

/** Where a built page has a place for what only its server knows. */
const PLACE = '<!--quire-->'

/** The patterns of the routes that `mountUi` adds: the shell and its assets need no token. */
export function uiPatterns(path: string): readonly string[] {
  return [path, `${path}/frame`, `${path}/*`]
}

/** Serves a built web application: its files as they are, and its page for every other path below, so that each can be linked to. */
export function mountUi<E extends Env>(app: Hono<E>, { files, path, prefix, served }: UiOptions): void {
  const base = prefix + path
  const page = toFile(
    files.page.replace(
      PLACE,
      `<base href="${escapeAttribute(base)}/"><script type="application/json" id="quire-served">${escapeScript(JSON.stringify({ ...served, base }))}</script>`,
    ),
  )

  app.get(path, showPage)
  app.get(`${path}/frame`, (context) =>
    context.html(FRAME_PAGE, 200, {
      ...HEADERS,
      'cache-control': 'no-cache',
      'content-security-policy': FRAME_POLICY,
    }),
  )
  app.get(`${path}/*`, (context) => {
    const name = context.req.path.slice(context.req.path.indexOf(`${path}/`) + path.length + 1)
    const file = files.files.get(name)
    if (file !== undefined) return sendFile(context, file, isNamedByContent(name))
    // A file that is not there must not come as a page: it would be kept as the script that it is not.
    return name.startsWith('assets/') ? context.notFound() : showPage(context)
  })

  async function showPage(context: Context): Promise<Response> {
    const { body, gzipped } = await page
    return context.body(acceptsGzip(context) ? gzipped : body, 200, {
      ...HEADERS,
      ...(acceptsGzip(context) && { 'content-encoding': 'gzip' }),
      vary: 'accept-encoding',
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': UI_POLICY,
    })
  }
}

function sendFile(context: Context, { body, gzipped, type, etag }: UiFile, isForEver: boolean): Response {
  const headers = {
    ...HEADERS,
    etag,
    vary: 'accept-encoding',
    'cache-control': isForEver ? 'public, max-age=31536000, immutable' : 'no-cache',
    // An image that is opened by itself is a document too.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  }
  if (context.req.header('if-none-match') === etag) return context.body(null, 304, headers)
  if (gzipped === undefined || !acceptsGzip(context))
    return context.body(body, 200, { ...headers, 'content-type': type })
  return context.body(gzipped, 200, { ...headers, 'content-type': type, 'content-encoding': 'gzip' })
}

function acceptsGzip(context: Context): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(context.req.header('accept-encoding') ?? '')
}

function isNamedByContent(name: string): boolean {
  return name.startsWith('assets/')
}

async function toFile(html: string) {
  return { body: html, gzipped: new Uint8Array(await promisify(gzip)(html)) }
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

/** Nothing in it may end the element. */
function escapeScript(json: string): string {
  return json.replaceAll('<', '\\u003c')
}

/** Of an address that clients see, what stands before every path of ours. */
export function toPrefix(publicUrl = ''): string {
  return new URL(publicUrl, 'http://localhost').pathname.replace(/\/+$/, '')
}
