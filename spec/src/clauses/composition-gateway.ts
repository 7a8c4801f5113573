// biome-ignore-all format: one clause a line reads as a table
import type { Clause } from '../clause.ts'

/** Beyond the specification: what the composer promises of its gateway, its file and its commands. */
export const compositionGateway = [
  { id: 'CO-PASS-1', text: 'The result of a server reaches its caller as the bytes that the server wrote.', source: 'docs/decisions/composer-relay.md' },
  { id: 'CO-PASS-2', text: 'An answer reaches the client that asked for it and no other, whatever the server does.', source: 'docs/decisions/composer-relay.md' },
  { id: 'CO-PASS-3', text: 'Progress reaches the client whose call it belongs to, under the token that the client chose.', source: 'docs/decisions/composer-relay.md' },
  { id: 'CO-PASS-4', text: 'A cancelled call is cancelled at the server.', source: 'docs/decisions/composer-relay.md' },
  { id: 'CO-PASS-5', text: 'A question of a server (sampling, elicitation, roots) is put to the client whose call it belongs to, and is refused where that cannot be known.', source: 'docs/decisions/composer-relay.md' },
  { id: 'CO-PASS-6', text: 'Clients are told when the tools, prompts or resources of a server have changed.', source: 'docs/decisions/composer-relay.md' },
  { id: 'CO-PASS-7', text: 'A client is told of changes of the resources that it subscribed to.', source: 'docs/decisions/composer-relay.md' },
  { id: 'CO-PASS-8', text: 'A client of either protocol era can use a server of either era, questions of the server included.', source: 'docs/decisions/composer-relay.md' },
  { id: 'CO-CONF-1', text: 'What a server passes of the conformance suite directly it passes behind the composer.', source: 'docs/decisions/composer-relay.md' },

  { id: 'CO-PIN-1', text: 'A tool whose definition is not the one first seen is told of.', source: 'docs/decisions/composer-trust.md' },
  { id: 'CO-PIN-2', text: 'With `pin = true` a changed tool is blocked until somebody approves it.', source: 'docs/decisions/composer-trust.md' },
  { id: 'CO-VIEW-1', text: 'A caller sees and calls only the tools that its roles allow.', source: 'docs/decisions/composer-trust.md' },
  { id: 'CO-SEARCH-1', text: 'With `mode = "search"` clients get `search_tools`, `describe_tool` and `call_tool` in place of the full list.', source: 'docs/decisions/composer-names.md' },

  { id: 'CO-LIMIT-1', text: 'Progress of a call starts its timeout anew where that is configured.', source: 'docs/decisions/composer-failures.md' },
  { id: 'CO-LIMIT-2', text: 'Calls beyond the limit of a server wait in a line, and beyond that they are refused.', source: 'docs/decisions/composer-failures.md' },
  { id: 'CO-LIMIT-3', text: 'A server that fails again and again is left alone for a while.', source: 'docs/decisions/composer-failures.md' },
  { id: 'CO-LIMIT-4', text: 'A call that a remote refused because it had forgotten our session is asked again once, in a new one.', source: 'docs/decisions/composer-failures.md' },

  { id: 'CO-FILE-1', text: 'A key that the composer does not know or cannot honour is refused by its name.', source: 'docs/decisions/composer-configuration.md' },
  { id: 'CO-FILE-2', text: 'Faults of the file are told all at once, each with its line and column.', source: 'docs/decisions/composer-configuration.md' },
  { id: 'CO-FILE-3', text: 'The file may name variables of the environment, and one that is not set is a fault.', source: 'docs/decisions/composer-configuration.md' },
  { id: 'CO-FILE-4', text: 'Comments of the file survive a change that comes as JSON.', source: 'docs/decisions/composer-configuration.md' },
  { id: 'CO-FILE-5', text: 'A JSON Schema of the file is part of the product and up to date.', source: 'docs/decisions/composer-configuration.md' },

  { id: 'CO-CLI-1', text: '`quire composer validate` says whether a file is in order, and starts nothing.', source: 'docs/composer.md' },
  { id: 'CO-CLI-2', text: '`quire composer tools` lists the tools of a file or of a running composer.', source: 'docs/composer.md' },
  { id: 'CO-CLI-3', text: '`quire composer invoke` calls one tool.', source: 'docs/composer.md' },
  { id: 'CO-CLI-4', text: '`quire composer discover` prints the servers that other MCP clients know, without their secrets, as a file that `validate` accepts.', source: 'docs/composer.md' },
] as const satisfies readonly Clause[]
