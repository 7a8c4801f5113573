import { YNotebook } from '@jupyter/ydoc'
import { WebSocket } from 'ws'
import { WebsocketProvider } from 'y-websocket'

export interface RoomClient {
  readonly notebook: YNotebook
  /** Asks for its session again and goes on with the document that it has, as a page does when its server is back. */
  rejoin(): Promise<void>
  close(): void
}

/** A foreign client: y-websocket's provider around the document of `@jupyter/ydoc`. */
export async function joinRoom(
  { url, token }: { readonly url: string; readonly token: string },
  path: string,
): Promise<RoomClient> {
  const notebook = new YNotebook()
  let provider: WebsocketProvider | undefined

  async function join(): Promise<void> {
    const answer = await fetch(`${url}/api/collaboration/session/${encodeURI(path)}`, {
      method: 'PUT',
      headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'json', type: 'notebook' }),
    })
    const { fileId, sessionId } = (await answer.json()) as { fileId: string; sessionId: string }
    const address = `${url.replace('http', 'ws')}/api/collaboration/room`
    const joined = new WebsocketProvider(address, `json:notebook:${fileId}`, notebook.ydoc, {
      params: { sessionId, token },
      disableBc: true,
      awareness: notebook.awareness,
      // `ws` has what the provider uses of a browser's WebSocket, and its type has more.
      WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
    })
    provider = joined
    await new Promise<void>((resolve, reject) => {
      joined.once('connection-close', (event) => reject(new Error(`closed: ${event?.code} ${event?.reason}`)))
      joined.once('sync', () => resolve())
    })
  }

  await join()
  return {
    notebook,
    async rejoin() {
      provider?.disconnect()
      await join()
    },
    close() {
      provider?.destroy()
      notebook.dispose()
    },
  }
}
