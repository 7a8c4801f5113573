import { readToken } from '../session/token.ts'
import { pathOf, type ServiceName } from './served.ts'

/** Browsers cannot set headers on a WebSocket: the token goes as a sub-protocol, which the server never says back. */
export function openSocket(service: ServiceName, path: string): WebSocket {
  return new WebSocket(socketAddress(service, path), socketProtocols())
}

function socketAddress(service: ServiceName, path: string): string {
  const address = new URL(pathOf(service, path), location.href)
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  return address.href
}

function socketProtocols(): string[] {
  const token = readToken()
  return token === undefined ? ['quire.v1'] : ['quire.v1', `quire.bearer.${toBase64Url(token)}`]
}

function toBase64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
