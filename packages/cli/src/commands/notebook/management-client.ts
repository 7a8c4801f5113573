import { CommandFailure } from '../../command-failure.ts'

export interface ManagedServer {
  readonly serverUrl: string
  readonly mcpToken?: string | undefined
}

/** Longer than a kernel takes to shut down, and a server to be found missing. */
const DEADLINE_MS = 60_000

/** Calls a management route of a running notebook service; throws a `CommandFailure` that says what is wrong and what to do. */
export async function callManagement(
  server: ManagedServer,
  request: { readonly method: 'PUT' | 'DELETE'; readonly path: string; readonly body?: object },
  deadlineMs = DEADLINE_MS,
): Promise<void> {
  const { serverUrl, mcpToken } = server
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (mcpToken !== undefined) headers.authorization = `Bearer ${mcpToken}`
  try {
    const response = await fetch(serverUrl + request.path, {
      method: request.method,
      headers,
      ...(request.body && { body: JSON.stringify(request.body) }),
      // A redirection would carry the token to somebody else.
      redirect: 'error',
      signal: AbortSignal.timeout(deadlineMs),
    })
    const body = await response.text()
    if (!response.ok || !isDone(body)) throw new CommandFailure(explain(serverUrl, response.status, body))
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw new CommandFailure(explainSilence(serverUrl, error, deadlineMs), { cause: error })
  }
}

/** Anybody can answer with 200. */
function isDone(body: string): boolean {
  try {
    const { success } = JSON.parse(body) as Record<string, unknown>
    return success === true
  } catch {
    return false
  }
}

function explain(serverUrl: string, status: number, body: string): string {
  const reason = reasonIn(body)
  if ((reason === undefined && status !== 401) || status === 404)
    return `What answers at ${serverUrl} is no notebook service over HTTP (status ${status}). Give the address where "quire notebook start --transport streamable-http" listens, by --server-url.`
  if (status === 401)
    return `The notebook service at ${serverUrl} does not accept the token${reason === undefined ? '.' : `: ${reason}`} Give the right one by MCP_TOKEN or --mcp-token.`
  if (status === 421)
    return `The notebook service at ${serverUrl} is steered from its own machine alone: use its loopback name, such as http://localhost:4040.`
  return `The notebook service at ${serverUrl} refuses (status ${status}): ${reason}`
}

/** Undefined for what the service itself would never say. */
function reasonIn(body: string): string | undefined {
  try {
    const { error, error_description: description } = JSON.parse(body) as Record<string, unknown>
    const reason = description ?? error
    if (typeof reason === 'string') return reason
  } catch {
    // A page of somebody else's helps nobody.
  }
  return undefined
}

function explainSilence(serverUrl: string, error: unknown, deadlineMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `The notebook service at ${serverUrl} did not answer within ${deadlineMs / 1000} s. Its log may say why.`
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
  return `Nothing can be asked at ${serverUrl} (${cause}). Is the notebook service running there? Start it with "quire notebook start --transport streamable-http".`
}
