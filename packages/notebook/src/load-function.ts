import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError } from '@quire/kit/config/config-error'

export interface LoadOptions {
  /** Blamed when it cannot be loaded. */
  readonly setting: string
  /** What relative paths are relative to, and where packages are looked for first. */
  readonly cwd: string
}

/** A function of the operator's own: what it answers is to be checked at every call. */
export type LoadedFunction = (...values: readonly unknown[]) => unknown

/** The default export of an ES module, by its path or the name of a package. Throws a `ConfigError`. */
export async function loadFunction(name: string, { setting, cwd }: LoadOptions): Promise<LoadedFunction> {
  const refuse = (message: string): never => {
    throw new ConfigError([{ setting, origin: name, message }])
  }
  const module = await importModule(name, cwd, refuse)
  if (typeof module.default !== 'function') return refuse('has no function as its default export')
  return module.default as LoadedFunction
}

async function importModule(
  name: string,
  cwd: string,
  refuse: (message: string) => never,
): Promise<{ default?: unknown }> {
  try {
    return await import(resolveModule(name, cwd))
  } catch (error) {
    return refuse(`cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** A file, or else a package: first one that is installed where we were started, then one beside us. */
function resolveModule(name: string, cwd: string): string {
  if (name.startsWith('file:')) return name
  const path = resolve(cwd, name)
  if (existsSync(path) || /^\.{0,2}[/\\]/.test(name)) return pathToFileURL(path).href
  try {
    return pathToFileURL(createRequire(join(cwd, 'x')).resolve(name)).href
  } catch {
    return name
  }
}
