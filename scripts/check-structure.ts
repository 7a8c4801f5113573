// Holds the plan of the house: who may import whom, who may read the environment, and that a name is imported from where it is defined.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

const root = join(import.meta.dirname, '..')

const mayImport: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  agent: [],
  mcp: ['kit'],
  notebook: ['kit', 'mcp'],
  composer: ['kit', 'mcp'],
  runtime: ['kit', 'mcp', 'agent'],
  teams: ['kit', 'mcp', 'agent'],
  embedded: ['kit'],
  web: ['notebook/contract', 'composer/contract', 'runtime/contract', 'teams/contract'],
  cli: ['kit', 'mcp', 'agent', 'notebook', 'composer', 'runtime', 'teams', 'embedded', 'web'],
}
const testsMayImport = ['spec', 'testbed']

const faults = packages().flatMap((name) => sources(name).flatMap((file) => check(name, file)))
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1

function check(name: string, file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const isTest = /\.(?:test|fixture)\.tsx?$|[/\\]fixtures[/\\]/.test(file)
  const where = relative(root, file)
  const allowed = mayImport[name]
  if (!allowed) return [`${where}: the package "${name}" is not in the plan (scripts/check-structure.ts)`]
  const found: string[] = []
  for (const [, specifier = ''] of text.matchAll(/(?:from|import|import\()\s*['"]([^'"]+)['"]/g)) {
    const target = /^@quire\/(.+)$/.exec(specifier)?.[1]
    const known = isTest ? [...allowed, ...testsMayImport, name] : allowed
    if (target && !known.some((prefix) => target === prefix || target.startsWith(`${prefix}/`))) {
      found.push(`${where}: ${name} may not import ${specifier}`)
    }
    if (
      specifier.startsWith('../') &&
      !join(file, '..', specifier).startsWith(join(root, 'packages', name) + sep)
    ) {
      found.push(`${where}: ${specifier} leaves the package; import it by the package's name`)
    }
  }
  if (!isTest && /process\.env\b/.test(text) && !/[/\\]config(?:[/\\][^/\\]+)?\.ts$/.test(file)) {
    found.push(`${where}: only a config module reads process.env`)
  }
  if (/^export (?:\*|\{[^}]*\}|type \{[^}]*\}) from /m.test(text)) {
    found.push(`${where}: re-exports; import the name from the file that defines it`)
  }
  return found
}

function packages(): string[] {
  return readdirSync(join(root, 'packages'))
}

function sources(name: string): string[] {
  const folder = join(root, 'packages', name, 'src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((entry) => /\.tsx?$/.test(entry))
    .map((entry) => join(folder, entry))
}
