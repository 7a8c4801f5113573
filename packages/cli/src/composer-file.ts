import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const FIRST_TEXT = `# The MCP servers that "quire up" offers at /composer. See docs/composer.md for what can stand here, and
# "quire composer discover" for the servers that your MCP clients know already.

[servers]
`

/** The file of the composer within `quire up`; made at the first start, so that it can be filled in, by hand or over the API. */
export function ensureComposerFile(dataDir: string): string {
  const file = join(dataDir, 'composer', 'quire.toml')
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, FIRST_TEXT, { mode: 0o600, flag: 'wx' })
  }
  return file
}
