// biome-ignore-all format: one clause a line reads as a table
import type { Clause } from '../clause.ts'

export const allServices = [
  { id: 'ALL-BIND-1', text: 'A service listens on 127.0.0.1 unless `--host` names another address.', source: 'decisions, All services' },
  { id: 'ALL-BIND-2', text: 'A service told to listen beyond loopback without client authentication refuses to start, with exit code 1 and one clear line.', source: 'decisions, All services' },
  { id: 'ALL-BIND-3', text: 'The explicit `--insecure-…noauth` flag of a service allows it to listen beyond loopback without client authentication.', source: 'decisions, All services' },
  { id: 'ALL-BIND-4', text: 'A service that listens beyond loopback without client authentication warns of it at each start.', source: 'decisions, All services' },

  { id: 'ALL-HOST-1', text: 'A request whose Host is not among the allowed hosts is answered 421.', source: 'decisions, All services' },
  { id: 'ALL-HOST-2', text: 'The loopback names `localhost`, `127.0.0.1` and `::1` are allowed hosts by default.', source: 'decisions, All services' },
  { id: 'ALL-HOST-3', text: '`--allowed-host NAME` adds a name to the allowed hosts.', source: 'decisions, All services' },
  { id: 'ALL-HOST-4', text: 'Host is matched on the raw header by a strict grammar, so that spellings which a URL parser would read as loopback are refused.', source: 'decisions, All services' },
  { id: 'ALL-HOST-5', text: 'The Host check covers every route, public and unknown ones included.', source: 'decisions, All services' },
  { id: 'ALL-HOST-6', text: 'The Host check covers WebSocket upgrades.', source: 'decisions, All services' },
  { id: 'ALL-HOST-7', text: 'A wrong Host is refused before any token is looked at.', source: 'decisions, All services' },

  { id: 'ALL-ORIGIN-1', text: 'A request that carries an Origin which is not allowed is answered 403.', source: 'decisions, All services' },
  { id: 'ALL-ORIGIN-2', text: 'A request without an Origin header passes the Origin check.', source: 'decisions, All services' },
  { id: 'ALL-ORIGIN-3', text: 'Loopback origins are allowed by default.', source: 'decisions, All services' },
  { id: 'ALL-ORIGIN-4', text: '`--allowed-origin` adds an allowed origin.', source: 'decisions, All services' },
  { id: 'ALL-ORIGIN-5', text: 'The Origin check covers every route, public and unknown ones included.', source: 'decisions, All services' },
  { id: 'ALL-ORIGIN-6', text: 'The Origin check covers WebSocket upgrades.', source: 'decisions, All services' },
  { id: 'ALL-ORIGIN-7', text: 'A wrong Origin is refused before any token is looked at.', source: 'decisions, All services' },

  { id: 'ALL-ORDER-1', text: 'The shape of the path is judged before the Host.', source: 'decisions, All services' },
  { id: 'ALL-ORDER-2', text: 'The Host is judged before the Origin.', source: 'decisions, All services' },
  { id: 'ALL-ORDER-3', text: 'The Origin is judged before the token.', source: 'decisions, All services' },
  { id: 'ALL-ORDER-4', text: 'The token is judged before the rate limit.', source: 'decisions, All services' },
  { id: 'ALL-ORDER-5', text: 'The rate limit is judged before the content type.', source: 'decisions, All services' },
  { id: 'ALL-ORDER-6', text: 'The content type is judged before the body.', source: 'decisions, All services' },

  { id: 'ALL-AUTH-1', text: 'A request without a token is answered 401 with `WWW-Authenticate: Bearer realm="…"` and no error code in it.', source: 'decisions, All services' },
  { id: 'ALL-AUTH-2', text: 'A request with a wrong token is answered 401, and its `WWW-Authenticate` also holds `error="invalid_token"`.', source: 'decisions, All services' },
  { id: 'ALL-AUTH-3', text: 'A token in the URL is never accepted.', source: 'decisions, All services' },
  { id: 'ALL-AUTH-4', text: 'With authentication on, every route that is not on the public list asks for a token.', source: 'decisions, All services' },
  { id: 'ALL-AUTH-5', text: 'Health and ready routes stay public with authentication on.', source: 'decisions, All services' },
  { id: 'ALL-AUTH-6', text: 'The shells and assets of the docs stay public with authentication on.', source: 'decisions, All services' },
  { id: 'ALL-AUTH-7', text: '`/openapi.json` stays public with authentication on.', source: 'decisions, All services' },
  { id: 'ALL-AUTH-8', text: 'The protected-resource metadata of RFC 9728 stays public with authentication on.', source: 'decisions, All services' },
  { id: 'ALL-AUTH-9', text: 'CORS preflights are answered without a token.', source: 'decisions, All services' },

  { id: 'ALL-CORS-1', text: 'An allowed Origin gets CORS answers.', source: 'decisions, All services' },
  { id: 'ALL-CORS-2', text: 'CORS answers never allow credentials.', source: 'decisions, All services' },
  { id: 'ALL-CORS-3', text: 'CORS answers expose `Retry-After`, `WWW-Authenticate`, `Mcp-Session-Id` and `X-Conversation-Id`.', source: 'decisions, All services' },
  { id: 'ALL-CORS-4', text: 'An Origin that is not allowed gets no CORS answer.', source: 'decisions, All services' },

  { id: 'ALL-MOUNT-1', text: 'A service mounted inside a parent application leaves Host, Origin and authentication to the parent.', source: 'decisions, All services' },
  { id: 'ALL-MOUNT-2', text: 'A mounted service that is given `config.guards` applies those guards itself.', source: 'decisions, All services' },

  { id: 'ALL-SCOPE-1', text: 'A key without scopes listed has every scope.', source: 'decisions, All services' },
  { id: 'ALL-SCOPE-2', text: 'A key with scopes listed is refused with 403 where its scopes do not reach.', source: 'decisions, All services' },

  { id: 'ALL-OPS-1', text: '`--tls-cert` and `--tls-key` make a service speak HTTPS.', source: 'decisions, All services' },
  { id: 'ALL-OPS-2', text: 'A private certificate authority named by `NODE_EXTRA_CA_CERTS` is trusted for connections upstream.', source: 'decisions, All services' },
  { id: 'ALL-OPS-3', text: '`--public-url` sets the address that a service gives as its own.', source: 'decisions, All services' },
  { id: 'ALL-OPS-4', text: '`--trust-proxy` makes a service believe the forwarding headers of its proxy, which it ignores otherwise.', source: 'decisions, All services' },
  { id: 'ALL-OPS-5', text: 'Every secret setting can also be given as a file through its name with `_FILE` appended.', source: 'decisions, All services' },
  { id: 'ALL-OPS-6', text: 'A trailing slash is accepted on every path.', source: 'decisions, All services' },

  { id: 'ALL-BODY-1', text: 'A request body that is not JSON by its content type is answered 415.', source: 'decisions, All services' },
  { id: 'ALL-BODY-2', text: 'A request body larger than the limit, 1 MiB by default, is answered 413.', source: 'decisions, All services' },
  { id: 'ALL-BODY-3', text: 'A request body nested too deeply is refused.', source: 'decisions, All services' },
  { id: 'ALL-BODY-4', text: 'Unknown fields of a body are refused where they would be silently lost.', source: 'decisions, All services' },

  { id: 'ALL-DATA-1', text: 'Ids are made by a cryptographically secure random generator.', source: 'decisions, All services' },
  { id: 'ALL-DATA-2', text: 'Times are ISO 8601 and end in `Z`.', source: 'decisions, All services' },
  { id: 'ALL-DATA-3', text: 'Lists take `limit` and `offset`.', source: 'decisions, All services' },
  { id: 'ALL-DATA-4', text: '`--data` or `QUIRE_DATA_DIR` says where data lies.', source: 'decisions, All services' },
  { id: 'ALL-DATA-5', text: 'Without `--data` and `QUIRE_DATA_DIR` data lies in the user data folder of the platform.', source: 'decisions, All services' },
  { id: 'ALL-DATA-6', text: '`DATABASE_URL=sqlite:PATH` stores data in that SQLite file.', source: 'decisions, All services' },
  { id: 'ALL-DATA-7', text: '`DATABASE_URL=postgres://…` stores data in that PostgreSQL database.', source: 'decisions, All services' },

  { id: 'ALL-DOCS-1', text: 'Every REST service serves interactive documentation at `/docs`.', source: 'decisions, All services' },
  { id: 'ALL-DOCS-2', text: 'Every REST service serves reference documentation at `/redoc`.', source: 'decisions, All services' },
  { id: 'ALL-DOCS-3', text: 'Every REST service serves its machine-readable description at `/openapi.json`.', source: 'decisions, All services' },
  { id: 'ALL-DOCS-4', text: 'The documentation pages load everything from the service itself and nothing from a CDN.', source: 'decisions, All services' },

  { id: 'ALL-RATE-1', text: 'A 429 answer carries `Retry-After` in whole seconds.', source: 'decisions, All services' },
  { id: 'ALL-RATE-2', text: 'A 429 answer carries the header `RateLimit`.', source: 'decisions, All services' },
  { id: 'ALL-RATE-3', text: 'A 429 answer carries the header `RateLimit-Policy`.', source: 'decisions, All services' },

  { id: 'ALL-STREAM-1', text: 'A long stream sends a comment line every 15 seconds.', source: 'decisions, All services' },
  { id: 'ALL-STREAM-2', text: 'Events of a long stream carry `id:` lines.', source: 'decisions, All services' },
  { id: 'ALL-STREAM-3', text: 'A long stream resumes after the event named in `Last-Event-ID`.', source: 'decisions, All services' },

  { id: 'ALL-UP-1', text: '`quire up` guards all services with one token.', source: 'decisions, All services' },
  { id: 'ALL-UP-2', text: '`QUIRE_TOKEN` sets the token of `quire up`.', source: 'decisions, All services' },
  { id: 'ALL-UP-3', text: 'Without `QUIRE_TOKEN`, `quire up` makes a token at its first start and uses the same one at later starts.', source: 'decisions, All services' },
  { id: 'ALL-UP-4', text: 'The token that `quire up` makes is kept in the data folder in a file of mode 0600.', source: 'decisions, All services' },
  { id: 'ALL-UP-5', text: 'On a terminal, the address that `quire up` prints carries the token as the fragment `#token=…`.', source: 'decisions, All services' },
  { id: 'ALL-UP-6', text: 'Where its output is no terminal, `quire up` prints the path of the token file and not the token.', source: 'decisions, All services' },
  { id: 'ALL-UP-7', text: '`quire up` listens on port 7878 by default.', source: 'decisions, All services' },
  { id: 'ALL-UP-8', text: '`GET /health` of `quire up` reports on the whole.', source: 'decisions, All services' },
  { id: 'ALL-UP-9', text: '`--insecure-noauth` makes `quire up` run without a token on loopback.', source: 'decisions, All services' },
  { id: 'ALL-UP-10', text: '`quire up` refuses to listen beyond loopback without a token, whatever flags are given.', source: 'decisions, All services' },

  { id: 'ALL-METRICS-1', text: 'Every service serves its metrics in Prometheus text at `/metrics`.', source: 'decisions, All services' },

  { id: 'ALL-LOG-1', text: 'Logs are JSON lines on standard error.', source: 'decisions, All services' },
  { id: 'ALL-LOG-2', text: 'Logs on a terminal are pretty-printed.', source: 'decisions, All services' },
  { id: 'ALL-LOG-3', text: 'Secrets are redacted in logs.', source: 'decisions, All services' },

  { id: 'ALL-WEB-1', text: 'The shell and assets of the web UI stay public with authentication on.', source: 'decisions, All services' },
] as const satisfies readonly Clause[]
