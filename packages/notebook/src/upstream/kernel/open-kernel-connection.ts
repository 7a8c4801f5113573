import { createKernelConnection, type KernelConnectionOptions } from './create-kernel-connection.ts'
import type { KernelConnection } from './kernel-connection.ts'

/** With its connection open. Throws `not_found` when there is no such kernel. */
export async function openKernelConnection(options: KernelConnectionOptions): Promise<KernelConnection> {
  const connection = createKernelConnection(options)
  try {
    await connection.open()
    return connection
  } catch (error) {
    await connection.close()
    throw error
  }
}
