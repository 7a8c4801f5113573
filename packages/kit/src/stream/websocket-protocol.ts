/** Browsers cannot send headers with a handshake: they offer this beside `quire.bearer.<base64url of the token>`. */
const WEBSOCKET_PROTOCOL = 'quire.v1'

/** For `handleProtocols` of a WebSocketServer: a protocol that carries a token is never said back. */
export function selectProtocol(protocols: ReadonlySet<string>): string | false {
  return protocols.has(WEBSOCKET_PROTOCOL) && WEBSOCKET_PROTOCOL
}
