import { ToolError } from '../tool-error.ts'
import { type Call, nameOf } from './call.ts'

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
const HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there. Check that the notebook server runs, and its host and port',
  ENOTFOUND: 'There is no such host. Check the spelling of the address',
  EAI_AGAIN: 'The name of the host could not be looked up. Check the network',
  ETIMEDOUT: 'The host did not answer. Check the network and firewalls',
  EHOSTUNREACH: 'The host cannot be reached. Check the network',
  ENETUNREACH: 'The network cannot be reached',
  ECONNRESET: 'The connection was cut. Check whether the server restarts, and whether it wants https',
  UND_ERR_SOCKET: 'The connection was cut. Check whether the server restarts, and whether it wants https',
  HTTPParserError: 'What listens there does not speak HTTP. Check the port',
  HPE_INVALID_CONSTANT: 'What listens there does not speak HTTP. Check the port',
  CERT_HAS_EXPIRED: 'The certificate of the server has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the server is for another host name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'The server does not speak TLS there: use http instead of https',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'The server does not speak TLS there: use http instead of https',
}
const MAX_CAUSES = 5

/** The request did not get through. What is no failure of the connection is ours and passes as it is. */
export function explainConnection(call: Call, error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  return new ToolError(
    'unreachable',
    `Connection error: ${nameOf(call)} failed (${code}). ${hintFor(code)}, and try again.`,
    { cause: error },
  )
}

function hintFor(code: string): string {
  if (UNTRUSTED.has(code)) {
    return 'The certificate of the server is signed by an authority that is not known here: if it is a private one, name its certificate in NODE_EXTRA_CA_CERTS when this program starts'
  }
  return HINTS[code] ?? 'Check the address and the network'
}

/** Node and its fetch wrap the reason several layers deep. Where none has a code, the name of the innermost must do. */
function codeOf(error: unknown): string | undefined {
  let innermost: Error | undefined
  let candidate = error
  for (let depth = 0; depth < MAX_CAUSES && candidate instanceof Error; depth += 1) {
    if ('code' in candidate && typeof candidate.code === 'string') return candidate.code
    innermost = candidate
    candidate = candidate.cause
  }
  return innermost === error ? undefined : innermost?.name
}
