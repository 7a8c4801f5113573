import type { Gateway, GatewayClient } from '../../gateway/gateway.ts'
import { RpcFault } from '../../rpc.ts'
import { CODES } from './codes.ts'

const GRANT_MS = 10_000

/** A subscription to a resource, and how to let go of it. One that is granted too late is let go of at once. */
export async function grantSubscription(
  gateway: Gateway,
  client: GatewayClient,
  uri: string,
): Promise<() => void> {
  const granted = gateway.subscribe(client, uri)
  const deadline = Promise.withResolvers<never>()
  const timer = setTimeout(() => deadline.reject(tooLate()), GRANT_MS).unref()
  try {
    return await Promise.race([granted, deadline.promise])
  } catch (error) {
    // Where it was refused, that is what is thrown already.
    granted.then((release) => release()).catch(() => undefined)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function tooLate(): RpcFault {
  return new RpcFault(CODES.internal, `The server has not granted the subscription within ${GRANT_MS} ms.`)
}
