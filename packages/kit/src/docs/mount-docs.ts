import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context, Env } from 'hono'
import { createDocsAssets, type DocsAsset } from './assets.ts'
import { COMMON_WORDS, type OpenApiDocument, withCommonAnswers } from './common-answers.ts'
import { DOCS_PAGE_POLICY, pathToRoot, renderDocsPage } from './page.ts'

export type DocsOptions = Readonly<{
  title: string
  version: string
  /** What the service is, in Markdown. */
  description?: string
  /** Where clients reach the app: the prefix it is mounted under, or its public URL. */
  serverUrl: (context: Context) => string
  openapiPath?: string
  docsPath?: string
  redocPath?: string
}>

type DocsPaths = Required<Pick<DocsOptions, 'openapiPath' | 'docsPath' | 'redocPath'>>

const PATHS: DocsPaths = Object.freeze({
  openapiPath: '/openapi.json',
  docsPath: '/docs',
  redocPath: '/redoc',
})

/** The patterns of the routes that `mountDocs` adds: they need no token. */
export function docsPatterns(paths: Partial<DocsPaths> = {}): readonly string[] {
  const { openapiPath, docsPath, redocPath } = { ...PATHS, ...paths }
  return [openapiPath, docsPath, `${docsPath}/:file`, redocPath, `${redocPath}/:file`]
}

/** Adds the app's OpenAPI document, Swagger UI and Redoc, all from local files and under any prefix. */
export function mountDocs<E extends Env>(app: OpenAPIHono<E>, options: DocsOptions): void {
  const { openapiPath, docsPath, redocPath } = { ...PATHS, ...options }
  const assets = createDocsAssets()
  let document: OpenApiDocument | undefined

  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token, sent as `Authorization: Bearer …`.',
  })
  app.get(openapiPath, (context) => {
    document ??= describeApp(app, options)
    return context.json({ ...document, servers: [{ url: options.serverUrl(context) }] })
  })
  app.get(docsPath, (context) =>
    showPage(context, docsPath, ['swagger-ui.css'], ['swagger-ui-bundle.js', 'swagger-init.js']),
  )
  app.get(redocPath, (context) => showPage(context, redocPath, [], ['redoc.standalone.js', 'redoc-init.js']))
  for (const path of [docsPath, redocPath]) {
    app.get(`${path}/:file`, async (context) => {
      const asset = await assets.load(context.req.param('file') ?? '')
      return asset ? sendAsset(context, asset) : context.notFound()
    })
  }

  async function showPage(
    context: Context,
    path: string,
    styles: readonly string[],
    scripts: readonly string[],
  ) {
    const root = pathToRoot(new URL(context.req.url).pathname.endsWith('/') ? `${path}/` : path)
    const link = async (name: string) => `${root}${path.slice(1)}/${name}?v=${await assets.version(name)}`
    const html = renderDocsPage({
      title: options.title,
      openapiUrl: `${root}${openapiPath.slice(1)}`,
      styles: await Promise.all(styles.map(link)),
      scripts: await Promise.all(scripts.map(link)),
    })
    return context.html(html, 200, {
      'content-security-policy': DOCS_PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
  }
}

function describeApp<E extends Env>(
  app: OpenAPIHono<E>,
  { title, version, description = '' }: DocsOptions,
): OpenApiDocument {
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title, version, description: `${description}\n\n${COMMON_WORDS}`.trim() },
    security: [{ bearer: [] }],
  })
  return withCommonAnswers(document)
}

function sendAsset(context: Context, { body, type, version }: DocsAsset): Response {
  const etag = `"${version}"`
  const isNamed = context.req.query('v') === version
  const headers = {
    etag,
    'cache-control': isNamed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-content-type-options': 'nosniff',
  }
  if (context.req.header('if-none-match') === etag) return context.body(null, 304, headers)
  return context.body(body, 200, { ...headers, 'content-type': type })
}
