export interface JsonRpcFault {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly id?: string | number | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Every refusal of the endpoint is a JSON-RPC error, whatever its HTTP status. */
export function jsonRpcError({ status, code, message, id = null, headers }: JsonRpcFault): Response {
  const body = { jsonrpc: '2.0', id, error: { code, message } }
  return Response.json(body, { status, ...(headers && { headers: { ...headers } }) })
}

/** The id of a single request, for the error that answers it. */
export function requestIdOf(body: unknown): string | number | null {
  if (typeof body !== 'object' || body === null || !('method' in body) || !('id' in body)) return null
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null
}
