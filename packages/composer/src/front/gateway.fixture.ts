import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from '@quire/mcp/json'
import type {
  Gateway,
  GatewayChange,
  GatewayClient,
  GatewayFace,
  GatewayRequest,
} from '../gateway/gateway.ts'
import { type Params, type Reply, RpcFault } from '../rpc.ts'

export interface TestGateway extends Gateway {
  /** All that came, in order. */
  readonly requests: GatewayRequest[]
  readonly notifications: { client: GatewayClient; method: string; params: Params }[]
  /** URIs that somebody is subscribed to. */
  readonly subscribed: string[]
  listeners(): number
  change(change: GatewayChange): void
  /** Lets what waits in `wait` and `progress` go on. */
  release(): void
}

const FACE: GatewayFace = Object.freeze({
  serverInfo: { name: 'test-gateway', version: '1.2.3' },
  capabilities: {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    logging: {},
    completions: {},
  },
  instructions: 'For tests.',
})

const QUESTION = Object.freeze({ messages: [], maxTokens: 10 })
const CACHING = Object.freeze({ ttlMs: 0, cacheScope: 'private' })
const TOOLS = [
  'echo',
  'wait',
  'progress',
  'log',
  'ask',
  'large',
  'test_missing_capability',
  'test_streaming_elicitation',
  'test_logging_tool',
  'test_trigger_tool_change',
  'test_trigger_prompt_change',
  'test_reconnection',
]

/** A gateway with a tool for each thing that a front must carry. */
export function createTestGateway(face: Partial<GatewayFace> = {}): TestGateway {
  const listeners = new Set<(change: GatewayChange) => void>()
  const requests: GatewayRequest[] = []
  const notifications: TestGateway['notifications'] = []
  const subscribed: string[] = []
  let gate = Promise.withResolvers<void>()

  function change(event: GatewayChange): void {
    for (const listener of [...listeners]) listener(event)
  }

  async function handle(request: GatewayRequest): Promise<Reply> {
    requests.push(request)
    try {
      return await answer(request)
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error
      return { error: { code: error.code, message: error.message, data: error.data } }
    }
  }

  async function answer(request: GatewayRequest): Promise<Reply> {
    const { method } = request
    if (method === 'tools/call') return callTool(request)
    if (method === 'tools/list') return complete({ tools: TOOLS.map(toTool), ...CACHING })
    if (method === 'prompts/list') return complete({ prompts: [], ...CACHING })
    if (method === 'server/discover') {
      const { capabilities, serverInfo } = { ...FACE, ...face }
      const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo }
      return complete({ supportedVersions: ['2026-07-28'], capabilities, serverInfo, _meta, ...CACHING })
    }
    throw new RpcFault(-32601, `There is no method ${method}.`)
  }

  async function callTool(request: GatewayRequest): Promise<Reply> {
    const { params, notify, ask, signal, client } = request
    const args = isRecord(params.arguments) ? params.arguments : {}
    switch (params.name) {
      case 'echo':
        // As some servers write: line breaks must not break a stream.
        return { result: Buffer.from(JSON.stringify(textResult(JSON.stringify(args)), null, 2)) }
      case 'wait':
        await Promise.race([gate.promise, aborted(signal)])
        return text(signal.aborted ? 'cancelled' : 'waited')
      case 'progress':
        notify?.('notifications/progress', { progressToken: progressToken(params), progress: 1 })
        await Promise.race([gate.promise, aborted(signal)])
        notify?.('notifications/progress', { progressToken: progressToken(params), progress: 2 })
        return text('progressed')
      case 'log':
      case 'test_logging_tool':
        for (const level of ['debug', 'warning', 'error'])
          notify?.('notifications/message', { level, data: level })
        return text('logged')
      case 'ask': {
        if (!ask) throw new RpcFault(-32601, 'This client cannot be asked.')
        const method = typeof args.method === 'string' ? args.method : 'sampling/createMessage'
        return text(JSON.stringify(await ask(method, QUESTION, signal)))
      }
      case 'large':
        notify?.('notifications/progress', { progressToken: progressToken(params), progress: 1 })
        await Promise.race([gate.promise, aborted(signal)])
        return text('x'.repeat(Number(args.bytes)))
      case 'test_missing_capability':
        if (isRecord(client.capabilities.sampling)) return text('sampled')
        throw new RpcFault(-32021, 'sampling is needed', { requiredCapabilities: { sampling: {} } })
      case 'test_trigger_tool_change':
        change({ type: 'tools' })
        return text('changed')
      case 'test_trigger_prompt_change':
        change({ type: 'prompts' })
        return text('changed')
      case 'test_streaming_elicitation':
        return complete({ resultType: 'input_required', inputRequests: {}, requestState: 'none' })
      case 'test_reconnection':
        notify?.('notifications/message', { level: 'info', data: 'a stream, please' })
        await sleep(20)
        return text('reconnected')
      default:
        throw new RpcFault(-32602, `There is no tool ${String(params.name)}.`)
    }
  }

  return {
    requests,
    notifications,
    subscribed,
    listeners: () => listeners.size,
    change,
    release() {
      gate.resolve()
      gate = Promise.withResolvers()
    },
    face: () => ({ ...FACE, ...face }),
    handle,
    notified: (client, method, params) => void notifications.push({ client, method, params }),
    async subscribe(_client, uri) {
      if (uri.startsWith('deny:')) throw new RpcFault(-32602, 'No subscription to this one.')
      subscribed.push(uri)
      return () => void subscribed.splice(subscribed.indexOf(uri), 1)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function progressToken({ _meta }: Params): unknown {
  return isRecord(_meta) ? _meta.progressToken : undefined
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function toTool(name: string) {
  return { name, description: `The tool ${name}`, inputSchema: { type: 'object' } }
}

function complete(value: object): Reply {
  return { result: Buffer.from(JSON.stringify({ resultType: 'complete', ...value })) }
}

function textResult(value: string) {
  return { resultType: 'complete', content: [{ type: 'text', text: value }] }
}

function text(value: string): Reply {
  return complete(textResult(value))
}
