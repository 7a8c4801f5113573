// biome-ignore-all format: one clause a line reads as a table
import type { Clause } from '../clause.ts'

export const notebookUpstream = [
  { id: 'NB-UP-1', text: 'Sessions of the notebook server are used through `/api/sessions`.', source: 'spec 1 §4' },
  { id: 'NB-UP-2', text: 'Notebook files are read and written through `/api/contents`.', source: 'spec 1 §4' },
  { id: 'NB-UP-3', text: 'Code is executed in kernels of the execution server.', source: 'spec 1 §1' },

  { id: 'NB-TOKEN-1', text: 'A configured token is sent as `Authorization: Bearer <ACCESS_TOKEN>` to the API paths of the notebook server.', source: 'spec 1 §5' },
  { id: 'NB-TOKEN-2', text: 'A configured token authenticates code execution on the notebook server.', source: 'spec 1 §5' },
  { id: 'NB-TOKEN-3', text: 'A configured token authenticates reading and writing notebook files.', source: 'spec 1 §5' },
  { id: 'NB-TOKEN-4', text: 'With token authentication no XSRF header is needed or sent.', source: 'spec 1 §5' },

  { id: 'NB-LOGIN-1', text: 'Password login posts the password to `/login` and keeps the session cookies that come back, `_xsrf` included.', source: 'spec 1 §4' },
  { id: 'NB-LOGIN-2', text: 'After password login every HTTP request carries the session cookies.', source: 'spec 1 §5' },
  { id: 'NB-LOGIN-3', text: 'After password login every WebSocket connection carries the session cookies.', source: 'spec 1 §5' },
  { id: 'NB-LOGIN-4', text: 'After password login requests that need it carry the `X-XSRFToken` header.', source: 'spec 1 §5' },
  { id: 'NB-LOGIN-5', text: 'When a password and a token are configured for one server, the password is used.', source: 'spec 1 §5' },
  { id: 'NB-LOGIN-6', text: 'When a password and a token are configured for one server, the token is never sent.', source: 'spec 1 §5' },
  { id: 'NB-LOGIN-7', text: 'When a password and a token are configured for one server, a warning is logged.', source: 'spec 1 §5' },
  { id: 'NB-LOGIN-8', text: 'A 401 or 403 from the execution server under password authentication leads to one new login and one retry of the original request.', source: 'spec 1 §5; spec 1 §7' },
  { id: 'NB-LOGIN-9', text: 'A request that is refused again after the new login is not retried a second time.', source: 'spec 1 §5; spec 1 §7' },
  { id: 'NB-LOGIN-10', text: 'Password authentication works on a server that also has a token.', source: 'spec 1 §5' },
  { id: 'NB-LOGIN-11', text: 'Password authentication works on a server that has no token.', source: 'spec 1 §5' },
  { id: 'NB-LOGIN-12', text: 'A server without a token that relies on XSRF cookies is served by the password flow.', source: 'spec 1 §5' },
  { id: 'NB-LOGIN-13', text: 'A server without a token whose XSRF check is switched off can be used without credentials.', source: 'spec 1 §5' },
  { id: 'NB-LOGIN-14', text: 'A login that ends at a single sign-on, OAuth or IAM page is reported as an authentication failure.', source: 'spec 1 §5' },

  { id: 'NB-HUB-1', text: 'With `NOTEBOOK_URL` set to a user server under a hub and `NOTEBOOK_TOKEN` to an API token of scope `access:servers`, the tools work.', source: 'spec 1 §5' },
  { id: 'NB-HUB-2', text: 'The hub scopes `read:users` and `admin:users` are not needed.', source: 'spec 1 §5' },
  { id: 'NB-HUB-3', text: 'A hub token without the scope `access:servers` is reported as an authentication failure.', source: 'spec 1 §5' },
  { id: 'NB-HUB-4', text: '`NOTEBOOKHUB_ALLOW_TOKEN_IN_URL=1` allows the token in the query of a WebSocket handshake whose header was refused.', source: 'spec 1 §2; decisions §1' },
  { id: 'NB-HUB-5', text: 'Without `NOTEBOOKHUB_ALLOW_TOKEN_IN_URL=1` no token is ever put in a URL.', source: 'decisions §1' },
  { id: 'NB-HUB-6', text: 'When a handshake is refused for want of `NOTEBOOKHUB_ALLOW_TOKEN_IN_URL`, the error names that setting.', source: 'decisions §1' },
  { id: 'NB-HUB-7', text: '`JUPYTERHUB_ALLOW_TOKEN_IN_URL` is an alias of `NOTEBOOKHUB_ALLOW_TOKEN_IN_URL`.', source: 'decisions §1' },

  { id: 'NB-FILE-1', text: 'On a server without collaboration every cell tool works through the contents API.', source: 'decisions §1' },
  { id: 'NB-FILE-2', text: 'A write through the contents API checks that the file did not change meanwhile, and overwrites nobody.', source: 'decisions §1' },

  { id: 'NB-EXEC-1', text: 'Code is executed at most once: after its bytes reached the kernel nothing sends them again.', source: 'decisions §1' },
  { id: 'NB-EXEC-2', text: 'Outputs come back in the order in which the kernel sent them.', source: 'decisions §1' },
  { id: 'NB-EXEC-3', text: 'An execution that reaches its timeout is interrupted, and what it printed until then is returned.', source: 'decisions §1' },
  { id: 'NB-EXEC-4', text: 'A negative timeout is refused.', source: 'decisions §1' },
  { id: 'NB-EXEC-5', text: 'Executing a cell that is no code cell is refused with a clear sentence.', source: 'decisions §1' },
  { id: 'NB-EXEC-6', text: 'A kernel that had to be replaced is named in the reply, never replaced silently.', source: 'decisions §1' },
  { id: 'NB-EXEC-7', text: 'Output beyond the byte limit is cut with a visible marker.', source: 'decisions §1' },
  { id: 'NB-EXEC-8', text: 'PNG, JPEG and GIF outputs come back as images, SVG outputs as resources of their own media type.', source: 'decisions §1' },
  { id: 'NB-EXEC-9', text: 'All ANSI escape sequences are removed from text outputs.', source: 'decisions §1' },
] as const satisfies readonly Clause[]
