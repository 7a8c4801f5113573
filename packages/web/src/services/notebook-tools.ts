import { request } from './request.ts'

const REVISION = '2026-07-28'
export const CLIENT = Object.freeze({ name: 'quire-web', version: '1' })

/** What a tool answered in place of what it was asked for, in its own words. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed'
  /** E.g. `not_found`; empty where none was told. */
  readonly code: string
  /** What it told beside that. */
  readonly notes: readonly string[]
  constructor(code: string, message: string, notes: readonly string[] = []) {
    super(message)
    this.code = code
    this.notes = notes
  }
}

/** An answer of JSON-RPC. */
export interface Reply {
  readonly error?: { readonly message: string }
  readonly result?: {
    readonly isError?: boolean
    readonly structuredContent?: unknown
    readonly content?: readonly { readonly type: string; readonly text?: string }[]
  }
}

/** One call of a tool of the notebook service, without a session. The caller names the type of its structured answer. */
export async function callTool<Answer>(
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Answer> {
  const reply = await request<Reply>('notebook', '/mcp', {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': REVISION,
          'io.modelcontextprotocol/clientInfo': CLIENT,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
    ...(signal && { signal }),
  })
  return toAnswer<Answer>(reply)
}

export function toAnswer<Answer>({ error, result }: Reply): Answer {
  if (error) throw new ToolFailed('', error.message)
  if (result?.isError) throw toFailure(result)
  return result?.structuredContent as Answer
}

function toFailure({ structuredContent, content = [] }: NonNullable<Reply['result']>): ToolFailed {
  const known = structuredContent as Partial<FailedAnswer> | undefined
  if (known?.error) return new ToolFailed(known.error.code, known.error.message)
  const texts = content.flatMap(({ type, text }) => (type === 'text' && text ? [text] : []))
  return new ToolFailed('', texts.join('\n'), known?.notes)
}

interface FailedAnswer {
  readonly error: { readonly code: string; readonly message: string }
  readonly notes: readonly string[]
}
