import type { Logger } from '@quire/kit/log'
import type { Era } from '@quire/mcp/connection/era'
import type { Gateway } from '../../gateway/gateway.ts'
import type { RpcError } from '../../rpc.ts'
import { createSession } from '../legacy/session.ts'
import { toUnsupported } from '../modern/modern-call.ts'
import { createModernPeer } from '../modern/modern-peer.ts'
import { toNotification } from '../protocol/changes.ts'
import { createClassifier, type Verdict } from '../protocol/classify.ts'
import { CODES } from '../protocol/codes.ts'
import { encodeError } from '../protocol/encode.ts'
import { isNotification, isRequest, isResponse, type RpcRequest } from '../protocol/message.ts'
import { MODERN_REVISION } from '../protocol/revisions.ts'

export interface StdioClientOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly send: (message: Buffer) => boolean
}

/** The one client on a pipe. What it says first decides which era it is of, for good. */
export interface StdioClient {
  receive(message: unknown): void
  close(): void
}

const NO_HEADERS = Object.freeze({})
const NO_MESSAGE: RpcError = { code: CODES.invalidRequest, message: 'The line is not one JSON-RPC message.' }
const NO_ENVELOPE: RpcError = {
  code: CODES.invalidParams,
  message: `Each request of revision ${MODERN_REVISION} carries its envelope in params._meta.`,
}

export function createStdioClient({ gateway, logger, send }: StdioClientOptions): StdioClient {
  const classify = createClassifier()
  const session = createSession({ gateway, logger, tell: send })
  const peer = createModernPeer({ gateway, logger, send })
  const stopListening = gateway.onChange((change) => session.changed(change, toNotification(change)))
  let era: Era | undefined

  function receive(message: unknown): void {
    const verdict = era === 'legacy' ? undefined : classify(message, NO_HEADERS)
    if (verdict === undefined || verdict.kind === 'legacy') receiveLegacy(message)
    else receiveModern(message, verdict)
  }

  function receiveLegacy(message: unknown): void {
    if (era === 'modern') refuseLegacy(message)
    else if (isResponse(message)) session.settle(message)
    else if (isRequest(message) || isNotification(message)) {
      era = 'legacy'
      if (isRequest(message)) void answer(message)
      else session.notified(message, undefined)
    } else refuse(message, NO_MESSAGE)
  }

  /** Notifications need no envelope. */
  function refuseLegacy(message: unknown): void {
    if (isNotification(message)) peer.notified(message)
    else if (isRequest(message)) {
      const isInitialize = message.method === 'initialize'
      refuse(message, isInitialize ? toUnsupported(versionIn(message)) : NO_ENVELOPE)
    }
  }

  function receiveModern(message: unknown, verdict: Exclude<Verdict, { kind: 'legacy' }>): void {
    if (verdict.kind === 'refused') refuse(message, verdict.error)
    else if (verdict.revision !== MODERN_REVISION) refuse(message, toUnsupported(verdict.revision))
    else if (isRequest(verdict.message)) {
      // Clients of both eras begin with a question for it.
      if (verdict.message.method !== 'server/discover') era = 'modern'
      peer.receive(verdict.message)
    } else peer.notified(verdict.message)
  }

  async function answer(request: RpcRequest): Promise<void> {
    const message = await session.answer(request, undefined, { send })
    if (message) send(message)
  }

  function refuse(message: unknown, error: RpcError): void {
    if (isNotification(message)) logger.debug({ error }, 'a notification of the client on stdio was refused')
    else send(encodeError(isRequest(message) ? message.id : null, error))
  }

  return Object.freeze({
    receive,
    close() {
      stopListening()
      session.close()
      peer.close()
    },
  })
}

function versionIn({ params }: RpcRequest): string | undefined {
  return typeof params?.protocolVersion === 'string' ? params.protocolVersion : undefined
}
