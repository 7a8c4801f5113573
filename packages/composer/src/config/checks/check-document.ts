import type { PathFault, Tell } from '../config-fault.ts'
import type { TomlDocument } from '../toml/parse-toml.ts'
import { checkAuthentication, checkAuthorization } from './access.ts'
import { checkLogging, checkPaths, checkPorts } from './places.ts'
import { checkServers } from './servers.ts'
import { checkTools } from './tools.ts'

/**
 * What a look at one field cannot tell. It reads the document and not what the schema made of it, so that it has its say even where
 * something else is wrong; whatever is not of the right type is left to the schema.
 */
export function checkDocument(document: TomlDocument): readonly PathFault[] {
  const faults: PathFault[] = []
  const tell: Tell = (path, message) => faults.push({ path, message })
  for (const check of CHECKS) check(document, tell)
  return faults
}

const CHECKS = [
  checkServers,
  checkAuthentication,
  checkAuthorization,
  checkTools,
  checkPaths,
  checkPorts,
  checkLogging,
] as const
