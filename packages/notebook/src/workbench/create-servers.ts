import type { Logger } from '@quire/kit/log'
import type { ConnectionTargets } from '../connection-targets.ts'
import type { ContentsPort } from '../document/contents-port.ts'
import { createDocuments } from '../live/documents.ts'
import type { RoomHost } from '../live-route/room-host.ts'
import { createContents } from '../upstream/contents.ts'
import { openKernelConnection } from '../upstream/kernel/open-kernel-connection.ts'
import { createKernels } from '../upstream/kernels.ts'
import { createJupyterServer } from '../upstream/server.ts'
import { createSessions } from '../upstream/sessions.ts'
import { checkServer } from '../upstream/status.ts'
import { createKernelPool } from '../workspace/kernel-pool.ts'
import { createKernelUsers } from '../workspace/kernel-users.ts'
import type { Servers } from './servers.ts'

/** Nothing is contacted before it is needed. */
export function createServers(
  targets: ConnectionTargets,
  { logger, roomHost }: { readonly logger: Logger; readonly roomHost?: RoomHost | undefined },
): Servers {
  const isOne = targets.document === targets.sandbox
  const sandbox = createJupyterServer(targets.sandbox, { logger })
  const document = isOne ? sandbox : createJupyterServer(targets.document, { logger })
  const contents = createContents(document)
  const files: ContentsPort = { read: contents.get, write: contents.save }
  const documents = createDocuments({ server: document, contents: files, logger, roomHost })
  const users = createKernelUsers()
  const pool = createKernelPool({
    open: (kernelId) => openKernelConnection({ server: sandbox, kernelId, logger }),
    isInUse: users.has,
    logger,
  })

  return Object.freeze({
    targets,
    document,
    sandbox,
    isOne,
    contents,
    kernels: createKernels(sandbox),
    sessions: createSessions(sandbox),
    pool,
    users,
    openDocument: documents.open,
    documentNote: documents.note,
    openRoom: documents.openRoom,
    async check(signal?: AbortSignal) {
      await checkServer(sandbox, signal)
      if (!isOne) await checkServer(document, signal)
    },
    async close() {
      await documents.close()
      await pool.close()
      await Promise.all([document.close(), sandbox.close()])
    },
  })
}
