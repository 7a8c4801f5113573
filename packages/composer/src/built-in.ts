import type { Principal } from '@quire/kit/auth/principal'
import { PLAIN_DEFINITION } from './plain-definition.ts'
import type { BuiltInDefinition } from './server-definition.ts'

export type BuiltInServer = Pick<BuiltInDefinition, 'name' | 'createServer'>

export interface BuiltIn {
  readonly servers: readonly BuiltInServer[]
  /** Whoever has these servers already would see each of their tools twice. */
  isHiddenFrom(principal: Principal | undefined): boolean
}

/** Supervised as every other server, with nothing left to set: the deadlines of its own tools come first. */
export function toBuiltInDefinition({ name, createServer }: BuiltInServer): BuiltInDefinition {
  return Object.freeze({ ...PLAIN_DEFINITION, autoStart: true, transport: 'built-in', name, createServer })
}
