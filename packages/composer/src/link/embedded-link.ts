import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { InMemoryTransport } from '@modelcontextprotocol/client'
import { plainReason } from '@quire/mcp/connection/errors'
import { isRecord } from '@quire/mcp/json'
import type { BuiltInDefinition, Connectable, EmbeddedDefinition } from '../server-definition.ts'
import type { Link, LinkOptions } from './link.ts'
import { LinkError } from './link-error.ts'
import { openPipeLink } from './pipe-link.ts'

/** A link to a server that lives in this process, made for this link alone. */
export async function openEmbeddedLink(
  definition: EmbeddedDefinition | BuiltInDefinition,
  options: LinkOptions,
): Promise<Link> {
  const { name } = definition
  const [near, far] = InMemoryTransport.createLinkedPair()
  await within(name, options, async (isLate) => {
    const server = await createServer(definition)
    if (!isLate()) await server.connect(far)
  })
  // What is connected by hand speaks the legacy era.
  return openPipeLink(name, { type: 'custom', open: () => near }, options, { knownEra: 'legacy' })
}

async function createServer(definition: EmbeddedDefinition | BuiltInDefinition): Promise<Connectable> {
  if (definition.transport === 'built-in') return definition.createServer()
  const { module } = definition
  const imported: unknown = await import(isAbsolute(module) ? pathToFileURL(module).href : module)
  const factory = isRecord(imported) ? (imported.createServer ?? imported.default) : undefined
  if (typeof factory !== 'function') {
    throw new Error(`the module "${module}" exports neither "createServer" nor a default function`)
  }
  const product: unknown = await factory()
  if (isConnectable(product)) return product
  throw new Error(`what "createServer" of the module "${module}" makes is no MCP server`)
}

function isConnectable(value: unknown): value is Connectable {
  return (
    typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function'
  )
}

/** Foreign code may take as long as it likes; we do not wait longer than we said. */
async function within(
  server: string,
  { readyMs, signal }: LinkOptions,
  run: (isLate: () => boolean) => Promise<void>,
): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(readyMs))])
  const late = Promise.withResolvers<never>()
  const onLate = () => late.reject(new Error(`its factory did not end within ${readyMs / 1000} seconds`))
  limit.addEventListener('abort', onLate, { once: true })
  try {
    limit.throwIfAborted()
    await Promise.race([run(() => limit.aborted), late.promise])
  } catch (error) {
    const text = `MCP server "${server}" could not be started: ${plainReason(error)}.`
    throw new LinkError('start', text, { cause: error })
  } finally {
    limit.removeEventListener('abort', onLate)
  }
}
