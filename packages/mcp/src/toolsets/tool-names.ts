import { createHash } from 'node:crypto'

/** What every provider of models takes as a name: one of them wants a letter or "_" in front. */
const ACCEPTED = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
const SEPARATOR = '__'
const MAX_LENGTH = 64
const HASH_LENGTH = 10
const ENDS_IN_HASH = new RegExp(`_[0-9a-f]{${HASH_LENGTH}}$`)

/**
 * What a model calls a tool: `toolset__tool`; where that is too long, has characters that providers refuse, or could be read in two ways, a cleaned beginning
 * and a hash. It depends on the two names alone, so it is the same in every turn, whichever other tools there are.
 */
export function modelNameOf(toolset: string, tool: string): string {
  const name = `${toolset}${SEPARATOR}${tool}`
  const isAmbiguous = toolset.includes(SEPARATOR) || toolset.endsWith('_') || ENDS_IN_HASH.test(name)
  if (ACCEPTED.test(name) && !isAmbiguous) return name
  const hash = createHash('sha256')
    .update(JSON.stringify([toolset, tool]))
    .digest('hex')
    .slice(0, HASH_LENGTH)
  const cleaned = name.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_')
  return `${cleaned.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`
}
