// biome-ignore-all format: one clause a line reads as a table
import type { Clause } from '../clause.ts'

export const compositionConfig = [
  { id: 'CO-CFG-1', text: '`GET /api/v1/config` answers `{config, path, revision}`.', source: 'spec 3 §4; decisions §3a' },
  { id: 'CO-CFG-2', text: '`GET /api/v1/config` masks secrets.', source: 'decisions §3a' },
  { id: 'CO-CFG-3', text: '`GET /api/v1/config` with `Accept: application/toml` answers the masked text with its comments.', source: 'decisions §3a' },
  { id: 'CO-CFG-4', text: '`PUT /api/v1/config` takes `{config}` as JSON.', source: 'spec 3 §4; decisions §3a' },
  { id: 'CO-CFG-5', text: '`PUT /api/v1/config` takes TOML with `Content-Type: application/toml`.', source: 'decisions, All services; decisions §3a' },
  { id: 'CO-CFG-6', text: '`PUT /api/v1/config` validates the whole configuration and answers 400 with every fault.', source: 'decisions §3a' },
  { id: 'CO-CFG-7', text: '`PUT /api/v1/config` writes the file atomically.', source: 'decisions §3a' },
  { id: 'CO-CFG-8', text: '`PUT /api/v1/config` applies the configuration and answers 200 `{config, changes: {added, removed, changed, unchanged}}`.', source: 'decisions §3a' },
  { id: 'CO-CFG-9', text: 'A masked secret that is sent back keeps its value.', source: 'decisions §3a' },
  { id: 'CO-CFG-10', text: 'A stale `revision` sent with `PUT /api/v1/config` is answered 400 `CONFIG_CONFLICT`.', source: 'decisions §3a' },
  { id: 'CO-CFG-11', text: '`POST /api/v1/config/validate` answers 200 `{valid, errors, warnings}`.', source: 'spec 3 §4; decisions §3a' },
  { id: 'CO-CFG-12', text: '`POST /api/v1/config/validate` starts nothing and changes nothing.', source: 'decisions §3a' },
  { id: 'CO-CFG-13', text: '`POST /api/v1/config/reload` reads the file again and applies it.', source: 'spec 3 §4; decisions §3a' },
  { id: 'CO-CFG-14', text: 'Reload restarts only the servers that changed.', source: 'decisions §3a' },
  { id: 'CO-CFG-15', text: 'Reload of a faulty file is answered 400 and leaves everything as it was.', source: 'decisions §3a' },

  { id: 'CO-CMD-1', text: '`--allow-command` of the process allows a command to be run.', source: 'decisions §3a' },
  { id: 'CO-CMD-2', text: 'A command that stands in the configuration file may be run after a reload.', source: 'decisions §3a' },
  { id: 'CO-CMD-3', text: 'A `PUT /api/v1/config` that brings a foreign command is refused before anything is written.', source: 'decisions §3a' },
  { id: 'CO-CMD-4', text: 'A translator created through the API may run only an allowed command.', source: 'decisions §3a' },
  { id: 'CO-CMD-5', text: 'The composer runs commands without a shell.', source: 'decisions §3a' },
  { id: 'CO-CMD-6', text: 'Writing the configuration of the composer needs the scope `config:write`.', source: 'decisions §3a' },

  { id: 'CO-UI-1', text: 'The web UI of the composer is served at `/ui`.', source: 'decisions §3a' },
  { id: 'CO-UI-2', text: 'The web UI of the composer shows the data of its REST API.', source: 'spec 3 §1' },
  { id: 'CO-UI-3', text: 'The web UI of the composer updates live.', source: 'spec 3 §1' },
  { id: 'CO-UI-4', text: 'The web UI of the composer shows the server states Starting, Running, Stopped and Crashed.', source: 'spec 3 §3' },
] as const satisfies readonly Clause[]
