// biome-ignore-all format: one clause a line reads as a table
import type { Clause } from '../clause.ts'

export const notebookLive = [
  { id: 'NB-LIVE-1', text: 'The collaboration session of a notebook is opened through `/api/collaboration/session/`.', source: 'spec 1 §4' },
  { id: 'NB-LIVE-2', text: 'The live document is reached over a WebSocket connection.', source: 'spec 1 §4' },
  { id: 'NB-LIVE-3', text: 'On a server with collaboration, edits go into the live document.', source: 'decisions §1' },
  { id: 'NB-LIVE-4', text: 'A configured token authenticates collaboration sessions.', source: 'spec 1 §5' },
  { id: 'NB-LIVE-5', text: 'After password login the collaboration connection carries the session cookies.', source: 'spec 1 §5' },
  { id: 'NB-LIVE-6', text: 'A 401 or 403 on the collaboration path under password authentication leads to one new login and one retry on its own connection.', source: 'spec 1 §5' },
  { id: 'NB-LIVE-7', text: 'A live document whose first synchronisation does not finish is an error, never taken for an empty notebook.', source: 'decisions §1' },
  { id: 'NB-LIVE-8', text: 'The query-token fallback of `NOTEBOOKHUB_ALLOW_TOKEN_IN_URL` covers the WebSocket of the live document.', source: 'decisions §1' },

  { id: 'NB-EXT-1', text: 'In NOTEBOOK_SERVER mode the notebook service runs as an extension inside the notebook server.', source: 'spec 1 §1' },
  { id: 'NB-EXT-2', text: 'The extension is a small Python package that a notebook server 1.23 loads.', source: 'decisions §1' },
  { id: 'NB-EXT-3', text: 'The extension is loaded by a notebook server 2.x.', source: 'decisions §1', needs: 'jupyter-server 2.x' },
  { id: 'NB-EXT-4', text: 'The extension starts the standalone notebook service as its child.', source: 'decisions §1' },
  { id: 'NB-EXT-5', text: 'The extension relays `/mcp`.', source: 'decisions §1' },
  { id: 'NB-EXT-6', text: 'The extension relays `/mcp/healthz`.', source: 'decisions §1' },
  { id: 'NB-EXT-7', text: 'The extension relays `/mcp/tools/list`.', source: 'decisions §1' },
  { id: 'NB-EXT-8', text: 'The extension relays `/mcp/tools/call`.', source: 'decisions §1' },
  { id: 'NB-EXT-9', text: 'In extension mode a request that the notebook server does not authenticate is refused.', source: 'spec 1 §5; decisions §1' },
  { id: 'NB-EXT-10', text: 'In extension mode the token is the one the notebook server was started with.', source: 'spec 1 §5' },
  { id: 'NB-EXT-11', text: 'In extension mode the `Bearer` scheme is accepted, on a notebook server 1.23 too.', source: 'decisions §1' },
  { id: 'NB-EXT-12', text: 'On a notebook server 1.x a replaced `login_handler_class` decides who may enter.', source: 'spec 1 §5; decisions §1' },
  { id: 'NB-EXT-13', text: 'On a notebook server 2.x a replaced `identity_provider_class` decides who may enter.', source: 'spec 1 §5; decisions §1', needs: 'jupyter-server 2.x' },
  { id: 'NB-EXT-14', text: 'The management routes do not exist in extension mode.', source: 'decisions §1' },
  { id: 'NB-EXT-15', text: 'The tool `connect_to_jupyter` is absent in extension mode.', source: 'decisions §1' },
  { id: 'NB-EXT-16', text: 'In extension mode an execution that reaches its timeout is interrupted as in standalone mode.', source: 'decisions §1' },
  { id: 'NB-EXT-17', text: 'In extension mode a failing cell returns its whole traceback.', source: 'decisions §1' },
  { id: 'NB-EXT-18', text: 'In extension mode prompts and current protocol revisions are offered as in standalone mode.', source: 'decisions §1' },
] as const satisfies readonly Clause[]
