import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { REDOC_DARK } from './redoc-dark.ts'

export type DocsAsset = Readonly<{ body: string | Uint8Array<ArrayBuffer>; type: string; version: string }>

export type DocsAssets = Readonly<{
  load(name: string): Promise<DocsAsset | undefined>
  /** Changes with the content, so that a URL which carries it can be kept for ever. */
  version(name: string): Promise<string>
}>

/** Beside the sources of a distribution, which carries copies instead of the packages. */
const CARRIED = join(import.meta.dirname, '../../assets')

/** The files that come from packages, by the names of their copies. */
export const docsPackageFiles: Readonly<Record<string, string>> = Object.freeze({
  'swagger-ui.css': 'swagger-ui-dist/swagger-ui.css',
  'swagger-ui-bundle.js': 'swagger-ui-dist/swagger-ui-bundle.js',
  'redoc.standalone.js': 'redoc/bundles/redoc.standalone.js',
})

// Scripts of their own, because the pages forbid inline ones.
const INIT_SCRIPTS: ReadonlyMap<string, string> = new Map([
  [
    'swagger-init.js',
    `const domNode = document.getElementById('docs')
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({ domNode, url: domNode.dataset.openapi, deepLinking: true, validatorUrl: null })
`,
  ],
  [
    'redoc-init.js',
    `const domNode = document.getElementById('docs')
const dark = matchMedia('(prefers-color-scheme: dark)')
const theme = ${JSON.stringify(REDOC_DARK)}
dark.addEventListener('change', () => location.reload())
Redoc.init(domNode.dataset.openapi, { sanitize: true, ...(dark.matches && { theme }) }, domNode)
`,
  ],
])

/** Redoc shows a logo from its makers' server; no page of ours asks another server for anything. */
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg'
const EMPTY_IMAGE = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='

export function createDocsAssets(): DocsAssets {
  const resolve = createRequire(import.meta.url).resolve
  const versions = new Map<string, string>()

  async function load(name: string): Promise<DocsAsset | undefined> {
    const body = await readBody(name)
    if (body === undefined) return undefined
    const known = versions.get(name)
    const version = known ?? createHash('sha256').update(body).digest('base64url').slice(0, 16)
    versions.set(name, version)
    return {
      body,
      version,
      type: name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    }
  }

  async function readBody(name: string): Promise<DocsAsset['body'] | undefined> {
    const script = INIT_SCRIPTS.get(name)
    if (script !== undefined) return script
    const file = Object.hasOwn(docsPackageFiles, name) ? docsPackageFiles[name] : undefined
    if (file === undefined) return undefined
    const carried = join(CARRIED, name)
    const path = existsSync(carried) ? carried : resolve(file)
    if (name !== 'redoc.standalone.js') return readFile(path)
    return (await readFile(path, 'utf8')).replaceAll(REDOC_LOGO, EMPTY_IMAGE)
  }

  async function version(name: string): Promise<string> {
    return versions.get(name) ?? (await load(name))?.version ?? ''
  }

  return Object.freeze({ load, version })
}
