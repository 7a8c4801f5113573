import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGuide } from '@quire/agent/guide'
import { createModels, type Models } from '@quire/agent/models'
import { ConfigError } from '@quire/kit/config/config-error'
import type { Logger } from '@quire/kit/log'
import { createRedactor } from '@quire/kit/redact'
import { openStore, type Store } from '@quire/kit/store/store'
import { parseToolsetsJson, type ToolsetsConfig, ToolsetsConfigError } from '@quire/mcp/toolsets/config'
import { environment } from './config.ts'

export interface DatabaseConfig {
  readonly database?: string | undefined
  readonly dataDir: string
}

/** The database that was named, else the file in the data folder. */
export async function openDatabase({ database, dataDir }: DatabaseConfig, logger?: Logger): Promise<Store> {
  const url = database ?? `sqlite:${join(dataDir, 'quire.db')}`
  try {
    return await openAnswering(url, logger)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = createRedactor({ secrets: [url] }).text(reason)
    throw new ConfigError([{ setting: '--database', origin: kindOf(url), message }])
  }
}

async function openAnswering(url: string, logger: Logger | undefined): Promise<Store> {
  const store = await openStore(url, logger && { logger })
  try {
    await store.ping()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** An address may hold a password. */
function kindOf(url: string): string {
  return url.startsWith('sqlite:') ? url : 'PostgreSQL'
}

/** The toolsets of the file that was named, else of the one in the data folder, else none. */
export function readToolsets(named: string | undefined, dataDir: string): ToolsetsConfig {
  const usual = join(dataDir, 'mcp.json')
  if (named === undefined && !existsSync(usual)) return new Map()
  const path = named ?? usual
  try {
    return parseToolsetsJson(readFileSync(path, 'utf8'), environment())
  } catch (error) {
    if (error instanceof ToolsetsConfigError)
      throw new ConfigError(
        error.faults.map((message) => ({ setting: '--mcp-config', origin: path, message })),
      )
    const message = `cannot be read: ${error instanceof Error ? error.message : error}`
    throw new ConfigError([{ setting: '--mcp-config', origin: path, message }])
  }
}

/** All that can be asked, with the keys of the environment. */
export function openModels({ modelTimeout }: { readonly modelTimeout: number }): Models {
  return createModels({ environment: environment(), guide: createGuide(), idleMs: modelTimeout * 1_000 })
}

const SECRET_VARIABLE = /(?:KEY|KEY_ID|TOKEN|SECRET|PASSWORD|CREDENTIALS)$/i

/** The keys of model providers among them: whatever a provider says, they are not shown. */
export function secretsInEnvironment(): readonly string[] {
  return Object.entries(environment()).flatMap(([name, value]) =>
    SECRET_VARIABLE.test(name) && value ? [value] : [],
  )
}
