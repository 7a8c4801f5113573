import type { Logger } from '@quire/kit/log'
import type { ConnectionTargets } from '../connection-targets.ts'
import type { ContentsPort } from '../document/contents-port.ts'
import { createFileDocument } from '../document/file-document.ts'
import { createPathLocks } from '../document/path-locks.ts'
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
export function createServers(targets: ConnectionTargets, { logger }: { readonly logger: Logger }): Servers {
  const isOne = targets.document === targets.sandbox
  const sandbox = createJupyterServer(targets.sandbox, { logger })
  const document = isOne ? sandbox : createJupyterServer(targets.document, { logger })
  const contents = createContents(document)
  const files: ContentsPort = { read: contents.get, write: contents.save }
  const locks = createPathLocks()
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
    openDocument: (path: string) => createFileDocument({ path, contents: files, logger, locks }),
    async check(signal?: AbortSignal) {
      await checkServer(sandbox, signal)
      if (!isOne) await checkServer(document, signal)
    },
    async close() {
      await pool.close()
      await Promise.all([document.close(), sandbox.close()])
    },
  })
}
