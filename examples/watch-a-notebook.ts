// Prints a notebook while somebody works in it: every cell and every output as it comes.
// To run it beside `npm start`: node examples/watch-a-notebook.ts http://127.0.0.1:7878/notebook first.ipynb TOKEN
import WebSocket from 'ws'
import { WebsocketProvider } from 'y-websocket'
import { Doc, type Array as SharedList, type Map as SharedMap } from 'yjs'

type Cell = SharedMap<{ toString(): string } & SharedList<SharedMap<unknown>>>

const [service = 'http://127.0.0.1:7878/notebook', path = 'first.ipynb', token = ''] = process.argv.slice(2)
const doc = new Doc()
const room = new WebsocketProvider(`${service.replace(/^http/, 'ws')}/live`, encodeURIComponent(path), doc, {
  // As a browser does, which cannot set headers on a WebSocket.
  protocols: ['quire.v1', `quire.bearer.${Buffer.from(token).toString('base64url')}`],
  WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
})
room.on('status', ({ status }) => console.log(`(${status})`))

const printed = new Map<string, string>()
doc.getArray<Cell>('cells').observeDeep(() => {
  for (const [index, cell] of doc.getArray<Cell>('cells').toArray().entries()) {
    print(`${index} in `, String(cell.get('source') ?? ''))
    print(`${index} out`, (cell.get('outputs')?.toArray() ?? []).map(textOf).join(''))
  }
})

/** Whatever is new in it. */
function print(place: string, text: string): void {
  const before = printed.get(place) ?? ''
  if (text === before) return
  printed.set(place, text)
  const news = text.startsWith(before) ? text.slice(before.length) : text
  for (const line of news.trimEnd().split('\n')) console.log(`[${place}] ${line}`)
}

function textOf(output: SharedMap<unknown>): string {
  const { text, data, evalue } = output.toJSON()
  const shown = text ?? data?.['text/plain'] ?? evalue ?? ''
  return Array.isArray(shown) ? shown.join('') : String(shown)
}
