/** A message of JSON-RPC, as far as the echo looks at it. */
export interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly cursor?: string
    readonly arguments?: { readonly payload?: string }
  }
}

const TOOL = {
  name: 'echo',
  description: 'Answers with what it is given',
  inputSchema: { type: 'object', properties: { payload: { type: 'string' } }, required: ['payload'] },
}

/** What a server does with the two requests that are its own. The list is JSON already. */
export interface Tools {
  list(message: Message): string
  call(payload: string): string
}

const ECHO: Tools = {
  list: () => JSON.stringify({ tools: [TOOL] }),
  call: (payload) => payload,
}

/**
 * The smallest server that gateways accept: what it costs hides nothing of what they cost. By hand, because an SDK would cost more than the gateways do.
 * A notification has no answer.
 */
export function answerTo(line: string, tools = ECHO): string | undefined {
  const message: Message = JSON.parse(line)
  const { id, method, params } = message
  if (id === undefined || method === undefined) return undefined
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`
  if (method === 'tools/call') {
    const text = JSON.stringify(tools.call(params?.arguments?.payload ?? ''))
    return `${head}"result":{"content":[{"type":"text","text":${text}}]}}`
  }
  if (method === 'tools/list') return `${head}"result":${tools.list(message)}}`
  if (method === 'ping') return `${head}"result":{}}`
  if (method === 'initialize') {
    const result = {
      protocolVersion: params?.protocolVersion ?? '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'echo', version: '1.0.0' },
    }
    return `${head}"result":${JSON.stringify(result)}}`
  }
  return `${head}"error":{"code":-32601,"message":"There is no such method."}}`
}
