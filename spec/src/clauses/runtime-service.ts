// biome-ignore-all format: one clause a line reads as a table
import type { Clause } from '../clause.ts'

export const runtimeService = [
  { id: 'RT-SVC-1', text: 'Every endpoint of the runtime lies under the path prefix `/api/v1`.', source: 'spec 2 §9' },
  { id: 'RT-SVC-2', text: '`quire runtime serve` starts the runtime.', source: 'decisions §2' },
  { id: 'RT-SVC-3', text: 'The runtime listens on port 8765 by default.', source: 'decisions §2' },
  { id: 'RT-SVC-4', text: 'Request bodies of the runtime have the content type `application/json`.', source: 'spec 2 §4' },
  { id: 'RT-SVC-5', text: 'The runtime serves Prometheus text at `/metrics`.', source: 'decisions, All services' },

  { id: 'RT-HEALTH-1', text: '`GET /api/v1/health` of the runtime answers `{status: "healthy", version}`.', source: 'spec 2 §4; decisions §2' },
  { id: 'RT-HEALTH-2', text: '`version` in the health answer of the runtime is its release.', source: 'spec 2 §9' },
  { id: 'RT-HEALTH-3', text: '`GET /api/v1/ready` answers 200 when the store answers and the required toolsets are up.', source: 'spec 2 §4; decisions §2' },
  { id: 'RT-HEALTH-4', text: '`GET /api/v1/ready` answers 503 with the reasons when the store or a required toolset is down.', source: 'decisions §2' },

  { id: 'RT-DOCS-1', text: 'The runtime serves interactive documentation at `/docs`.', source: 'spec 2 §4' },
  { id: 'RT-DOCS-2', text: 'The runtime serves reference documentation at `/redoc`.', source: 'spec 2 §4' },
  { id: 'RT-DOCS-3', text: 'The runtime serves its machine-readable description at `/openapi.json`.', source: 'spec 2 §4' },

  { id: 'RT-AUTH-1', text: 'Authentication of the runtime is optional: without configured keys requests need none.', source: 'spec 2 §5' },
  { id: 'RT-AUTH-2', text: 'With authentication on, requests to the runtime carry `Authorization: Bearer <API_KEY>`.', source: 'spec 2 §5' },
  { id: 'RT-AUTH-3', text: '`RUNTIME_API_KEYS`, comma-separated, turns authentication of the runtime on.', source: 'decisions §2' },
  { id: 'RT-AUTH-4', text: '`--api-key` turns authentication of the runtime on.', source: 'decisions §2' },
  { id: 'RT-AUTH-5', text: '`quire runtime keys` issues a key that works.', source: 'decisions §2' },
  { id: 'RT-AUTH-6', text: '`quire runtime keys` revokes a key, which then works no more.', source: 'decisions §2' },
  { id: 'RT-AUTH-7', text: 'Of the keys of the runtime only hashes are stored.', source: 'decisions §2' },
  { id: 'RT-AUTH-8', text: 'The scopes of the runtime are `agents:read`, `agents:write` and `agents:prompt`.', source: 'decisions, All services' },

  { id: 'RT-RATE-1', text: 'Rate limits of the runtime can be configured per endpoint.', source: 'spec 2 §8' },
  { id: 'RT-RATE-2', text: 'A rate-limited request to the runtime is answered 429 with the header `Retry-After`.', source: 'spec 2 §7; spec 2 §8' },
  { id: 'RT-RATE-3', text: '`--rate-limit` takes OpenAPI operation ids and `default` as keys, as in `promptAgent=60/m,default=600/m`.', source: 'decisions §2' },
  { id: 'RT-RATE-4', text: 'Rate limits of the runtime count per API key.', source: 'decisions §2' },
  { id: 'RT-RATE-5', text: 'Rate limits of the runtime count per address for requests without a key.', source: 'decisions §2' },
  { id: 'RT-RATE-6', text: 'Rate limits of the runtime are off unless they are set.', source: 'decisions §2' },

  { id: 'RT-ERR-1', text: 'The error body of every route of the runtime is `{detail, status_code}`.', source: 'spec 2 §7' },
  { id: 'RT-ERR-2', text: 'An unknown path of the runtime is answered 404 with the same error body as any other error.', source: 'decisions §2' },
  { id: 'RT-ERR-3', text: 'A body that does not parse as JSON is answered 400 by the runtime.', source: 'spec 2 §7; decisions §2' },
  { id: 'RT-ERR-4', text: 'A body of another content type than JSON is answered 415 by the runtime.', source: 'decisions §2' },
  { id: 'RT-ERR-5', text: 'JSON of the wrong shape is answered 422 by the runtime.', source: 'spec 2 §7; decisions §2' },
  { id: 'RT-ERR-6', text: 'A 422 answer of the runtime has a sentence in `detail` and the list `errors` beside it.', source: 'decisions §2' },
  { id: 'RT-ERR-7', text: 'An unexpected failure of the runtime is answered 500 without its internals.', source: 'spec 2 §7' },
  { id: 'RT-ERR-8', text: 'A bad `limit` is answered 422 by the runtime.', source: 'decisions, All services' },
] as const satisfies readonly Clause[]
