// Builds the web pages, unless what they are made of has not changed since.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const WEB = join(ROOT, 'packages/web')
const STAMP = join(WEB, 'dist/.inputs')
const INPUTS = ['src', 'public', 'index.html', 'vite.config.ts', 'package.json']

const inputs = hashInputs()
if (readStamp() !== inputs) {
  process.stderr.write('building the web pages …\n')
  const { build } = await import('vite')
  await build({ root: WEB, configFile: join(WEB, 'vite.config.ts'), logLevel: 'warn' })
  writeFileSync(STAMP, inputs)
}

function hashInputs(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')))
  for (const input of INPUTS)
    for (const file of filesAt(join(WEB, input))) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

function filesAt(path: string): string[] {
  const entries = readEntries(path)
  if (entries === undefined) return [path]
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
}

/** Undefined for what is no folder. */
function readEntries(path: string) {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
  } catch {
    return undefined
  }
}

function readStamp(): string | undefined {
  try {
    return readFileSync(STAMP, 'utf8')
  } catch {
    return undefined
  }
}
