export type DocsPage = Readonly<{
  title: string
  /** Relative, as all addresses here: the app may be mounted anywhere. */
  openapiUrl: string
  styles: readonly string[]
  scripts: readonly string[]
}>

export function renderDocsPage({ title, openapiUrl, styles, scripts }: DocsPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
${styles.map((href) => `<link rel="stylesheet" href="${escapeHtml(href)}">`).join('\n')}
<style>${STYLE}</style>
</head>
<body>
<div id="docs" data-openapi="${escapeHtml(openapiUrl)}"></div>
<noscript>The description of this API is at <a href="${escapeHtml(openapiUrl)}">${escapeHtml(openapiUrl)}</a>.</noscript>
${scripts.map((source) => `<script src="${escapeHtml(source)}"></script>`).join('\n')}
</body>
</html>
`
}

/** Dark where the reader's machine is, and nothing wider than a phone. */
const STYLE = `
:root { color-scheme: light dark }
body { margin: 0 }
.swagger-ui .renderedMarkdown code { overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) {
  body { background: #1c2022 }
  .api-content h5, .api-content h5 span { color: #b7bcbf }
  .api-content .react-tabs__tab--selected { background: #3b4348 !important }
}
@media (max-width: 50rem) {
  .swagger-ui .opblock-body, .swagger-ui .model-box { overflow-x: auto }
  .swagger-ui .response-col_links { display: none }
  .api-content button:has(.http-verb) { display: block; text-align: start }
  .api-content button:has(.http-verb) span { white-space: normal; overflow-wrap: anywhere }
}
`

/** Nothing runs that is not one of our files, and nothing is fetched from elsewhere. Both tools write inline styles. */
export const DOCS_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The way from a page to the root of its app: `/docs` is beside it, `/docs/` is one step down. */
export function pathToRoot(pagePath: string): string {
  return '../'.repeat(pagePath.split('/').length - 2) || './'
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
