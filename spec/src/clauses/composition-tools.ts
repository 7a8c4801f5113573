// biome-ignore-all format: one clause a line reads as a table
import type { Clause } from '../clause.ts'

export const compositionTools = [
  { id: 'CO-LIST-1', text: 'A list of the composer answers `{servers|tools|translators: […], total, offset, limit}`.', source: 'decisions §3a' },
  { id: 'CO-LIST-2', text: 'Composer lists return 100 entries when `limit` is not given.', source: 'decisions, All services' },
  { id: 'CO-LIST-3', text: 'A `limit` outside 1 to 1000 is answered 400 by the composer.', source: 'decisions, All services; decisions §3a' },

  { id: 'CO-TOOL-1', text: '`GET /api/v1/tools` lists the tools of all running servers.', source: 'spec 3 §4' },
  { id: 'CO-TOOL-2', text: 'Tool names have the form `<server_name>:<tool_name>`.', source: 'spec 3 §1' },
  { id: 'CO-TOOL-3', text: '`GET /api/v1/tools/{tool_name}` answers one tool.', source: 'spec 3 §4' },
  { id: 'CO-TOOL-4', text: 'The query `server` filters tools by server name.', source: 'spec 3 §4' },
  { id: 'CO-TOOL-5', text: 'The query `search` finds tools by name or description.', source: 'spec 3 §4' },
  { id: 'CO-TOOL-6', text: 'The query `limit` bounds the number of tools, 100 by default.', source: 'spec 3 §4; spec 3 §8' },
  { id: 'CO-TOOL-7', text: 'The query `offset` skips tools.', source: 'spec 3 §4' },
  { id: 'CO-TOOL-8', text: 'A tool is `{name, description, input_schema, output_schema?, annotations?, server}`.', source: 'decisions §3a' },
  { id: 'CO-TOOL-9', text: '`/tools/{tool_name}` accepts `%2F` in the name.', source: 'decisions §3a' },
  { id: 'CO-TOOL-10', text: 'No path of the composer but `/tools/{tool_name}` accepts `%2F`.', source: 'decisions §3a' },

  { id: 'CO-INVOKE-1', text: '`POST /api/v1/tools/{tool_name}/invoke` takes the arguments of the tool as its JSON body.', source: 'spec 3 §4' },
  { id: 'CO-INVOKE-2', text: 'Invoke answers 200 `{result, is_error, execution_time_ms}`.', source: 'decisions §3a' },
  { id: 'CO-INVOKE-3', text: '`result` is the MCP result untouched: content, structured content and `_meta`.', source: 'decisions §3a' },
  { id: 'CO-INVOKE-4', text: 'Arguments that break the schema of the tool are answered 400.', source: 'decisions §3a' },
  { id: 'CO-INVOKE-5', text: 'A call to a tool of a stopped server is answered 400.', source: 'decisions §3a' },
  { id: 'CO-INVOKE-6', text: 'A call to a tool of a crashed server is answered 503.', source: 'decisions §3a' },
  { id: 'CO-INVOKE-7', text: 'A call whose server is lost in the middle is answered 503.', source: 'decisions §3a' },
  { id: 'CO-INVOKE-8', text: 'A tool that takes too long is answered 504.', source: 'decisions §3a' },

  { id: 'CO-MCP-1', text: 'The tools of all servers are offered at the MCP endpoint `/mcp` of the composer.', source: 'decisions §3a' },
  { id: 'CO-MCP-2', text: '`/sse` of the composer serves old MCP clients when it is enabled.', source: 'decisions §3a' },
  { id: 'CO-MCP-3', text: 'Tool names on `/mcp` of the composer match `^[A-Za-z0-9_-]{1,64}$`, joined as `server__tool`.', source: 'decisions §3a' },
  { id: 'CO-MCP-4', text: 'Tool names on `/mcp` of the composer follow the conflict strategy of the configuration.', source: 'decisions §3a' },
  { id: 'CO-MCP-5', text: 'The names on `/mcp` and those of the REST API lead to the same tools.', source: 'decisions §3a' },

  { id: 'CO-TRANS-1', text: '`GET /api/v1/translators` lists translators.', source: 'spec 3 §4' },
  { id: 'CO-TRANS-2', text: '`POST /api/v1/translators` creates a translator and answers 201.', source: 'spec 3 §4; decisions §3a' },
  { id: 'CO-TRANS-3', text: '`DELETE /api/v1/translators/{id}` deletes a translator and answers 204.', source: 'spec 3 §4; decisions §3a' },
  { id: 'CO-TRANS-4', text: 'A translator is `{id, name, type, status, endpoint?, command?, url?, created_at}`.', source: 'decisions §3a' },
  { id: 'CO-TRANS-5', text: 'A `stdio-to-http` translator offers a command at `/translators/{id}/mcp`.', source: 'decisions §3a' },
  { id: 'CO-TRANS-6', text: 'A `stdio-to-http` translator offers a command at `/translators/{id}/sse`.', source: 'decisions §3a' },
  { id: 'CO-TRANS-7', text: 'An `sse-to-http` translator offers an SSE server over streamable HTTP.', source: 'decisions §3a' },
  { id: 'CO-TRANS-8', text: 'An `http-to-stdio` translator prints the command by which a client reaches an HTTP server over stdio.', source: 'decisions §3a' },
  { id: 'CO-TRANS-9', text: 'A second translator of the same name is answered 400.', source: 'decisions §3a' },

  { id: 'CO-LOGS-1', text: '`/ws/logs` streams logs over a WebSocket.', source: 'spec 3 §4; spec 3 §6' },
  { id: 'CO-LOGS-2', text: 'On connect `/ws/logs` sends the last `history` lines, 100 by default, and then goes on live.', source: 'decisions §3a' },
  { id: 'CO-LOGS-3', text: 'A log message is `{type: "log", id, timestamp, level, server, message}`.', source: 'decisions §3a' },
  { id: 'CO-LOGS-4', text: 'The query `server` filters `/ws/logs` by server.', source: 'decisions §3a' },
  { id: 'CO-LOGS-5', text: 'The query `level` filters `/ws/logs` by level.', source: 'decisions §3a' },

  { id: 'CO-WS-1', text: '`/ws/metrics` streams metrics over a WebSocket.', source: 'spec 3 §4; spec 3 §6' },
  { id: 'CO-WS-2', text: 'A metrics message holds `type: "metrics"`, `timestamp`, `http_requests_total`, `tool_invocations_total`, `tool_errors_total`, `cpu_percent` and `memory_percent`.', source: 'decisions §3a' },
  { id: 'CO-WS-3', text: '`/ws/metrics` sends a message every second.', source: 'decisions §3a' },
  { id: 'CO-WS-4', text: 'A slow WebSocket reader loses the oldest messages and is told so with `{type: "dropped", count}`.', source: 'decisions §3a' },
  { id: 'CO-WS-5', text: 'A browser passes its token to the WebSockets as a sub-protocol.', source: 'decisions §3a' },
] as const satisfies readonly Clause[]
