import { type Jupyter, type JupyterOptions, startJupyter } from '@quire/testbed/jupyter'
import type { NotebookDocument } from '../document/document.ts'
import { codeCell, markdownCell, type TestCell, writeNotebook } from '../fixtures/notebook-files.ts'
import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createContents } from '../upstream/contents.ts'
import { createJupyterServer, type ServerTarget } from '../upstream/server.ts'
import { createDocuments, type Documents, type DocumentsOptions } from './documents.ts'
import { joinRoom, type RoomClient } from './room-client.fixture.ts'
import { type RoomServer, type RoomServerOptions, startRoomServer } from './room-server.fixture.ts'

export interface LiveBench {
  readonly jupyter: Jupyter
  /** A new notebook, the rooms of a server of its own, and our document of it. */
  start(cells?: readonly TestCell[], options?: LiveOptions): Promise<LiveNotebook>
  /** Ends everything that was started since. */
  clean(): Promise<void>
  stop(): Promise<void>
}

export interface LiveNotebook {
  readonly rooms: RoomServer
  readonly documents: Documents
  readonly document: NotebookDocument
  readonly path: string
  /** Somebody else who opens it. */
  person(): Promise<RoomClient>
  /** The server is gone for good. */
  endServer(): Promise<void>
}

interface LiveOptions {
  readonly server?: Partial<RoomServerOptions>
  readonly target?: Partial<ServerTarget>
  readonly documents?: Partial<DocumentsOptions>
  readonly minor?: number
}

const CELLS = [codeCell('a', 'x = 1'), markdownCell('b', '# Title'), codeCell('c', 'y = 2')]
const logger = createSilentLogger()

export async function startLiveBench(options: JupyterOptions = {}): Promise<LiveBench> {
  const jupyter = await startJupyter(options)
  const cleanUps: (() => unknown)[] = []
  let serial = 0

  async function clean(): Promise<void> {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
  }

  return {
    jupyter,
    clean,
    async start(cells = CELLS, { server: like, target, documents: bounds, minor } = {}) {
      serial += 1
      const path = `live ${serial}.ipynb`
      writeNotebook(jupyter.root, path, cells, minor)
      const rooms = await startRoomServer({ jupyter, ...like })
      let ending: Promise<void> | undefined
      const endServer = () => {
        ending ??= rooms.close()
        return ending
      }
      cleanUps.push(endServer)
      const server = createJupyterServer({ url: rooms.url, token: jupyter.token, ...target }, { logger })
      cleanUps.push(() => server.close())
      const contents = createContents(server)
      const files = { read: contents.get, write: contents.save }
      const documents = createDocuments({ server, contents: files, logger, ...bounds })
      cleanUps.push(() => documents.close())
      const document = documents.open(path)
      cleanUps.push(() => document.close())
      return {
        rooms,
        documents,
        document,
        path,
        endServer,
        async person() {
          const person = await joinRoom({ url: rooms.url, token: jupyter.token }, encodeURI(path))
          cleanUps.push(() => person.close())
          return person
        },
      }
    },
    async stop() {
      await clean()
      await jupyter.stop()
    },
  }
}
