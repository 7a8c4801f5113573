import type { Transport } from '@modelcontextprotocol/client'
import type { StdioServer } from './stdio-transport.ts'

export interface RemoteServer {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Where an MCP server is. `custom` is for servers in this process: `open` is called for each attempt. */
export type Target =
  | ({ readonly type: 'stdio' } & StdioServer)
  | ({ readonly type: 'http' } & RemoteServer)
  | ({ readonly type: 'sse' } & RemoteServer)
  | { readonly type: 'custom'; readonly open: () => Transport | Promise<Transport> }
