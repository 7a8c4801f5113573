/** Error codes of JSON-RPC and of MCP that a front answers with by itself. */
export const CODES = Object.freeze({
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** The next two are used by revisions up to 2025-11-25 alone. */
  server: -32000,
  noSession: -32001,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
})
