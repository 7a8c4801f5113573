export interface Challenge {
  readonly realm: string
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope'
  readonly description?: string
  readonly scope?: readonly string[]
  /** RFC 9728: where a client learns which authorization server issues tokens. Only with a verifier that has one. */
  readonly resourceMetadata?: string
}

/** The `WWW-Authenticate` value of RFC 6750 §3. A request without credentials gets no error code. */
export function challengeHeader(challenge: Challenge): string {
  const parts = [
    `realm=${quote(challenge.realm)}`,
    challenge.error && `error=${quote(challenge.error)}`,
    challenge.description && `error_description=${quote(challenge.description)}`,
    challenge.scope?.length && `scope=${quote(challenge.scope.join(' '))}`,
    challenge.resourceMetadata && `resource_metadata=${quote(challenge.resourceMetadata)}`,
  ]
  return `Bearer ${parts.filter(Boolean).join(', ')}`
}

function quote(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '').replace(/[\\"]/g, '\\$&')}"`
}
