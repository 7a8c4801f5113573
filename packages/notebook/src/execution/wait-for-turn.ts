import { ToolError } from '../tool-error.ts'
import type { KernelConnection } from '../upstream/kernel/kernel-connection.ts'

/** Code of this connection queues in the kernel; behind code of others it would wait for nobody knows what. */
export async function waitForTurn(
  connection: KernelConnection,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  if (isFree(connection)) return
  const deadline = AbortSignal.timeout(Math.ceil(waitMs))
  try {
    await connection.whenIdle(signal ? AbortSignal.any([signal, deadline]) : deadline)
  } catch (error) {
    if (error !== deadline.reason) throw error
    if (!isFree(connection)) throw refusal(connection, `${Math.round(waitMs / 100) / 10} s`)
  }
}

function isFree(connection: KernelConnection): boolean {
  const state = connection.state()
  return (state === 'idle' || state === 'busy') && !connection.isBusyElsewhere()
}

function refusal(connection: KernelConnection, waited: string): ToolError {
  switch (connection.state()) {
    case 'busy':
      return new ToolError(
        'busy',
        `The kernel is busy with other code, and still was after ${waited}. Nothing was sent. Wait until it has finished, or stop it with interrupt_kernel.`,
      )
    case 'unknown':
      return new ToolError(
        'unreachable',
        `No connection to the kernel could be made within ${waited}. Nothing was sent. Check that the notebook server answers, and try again.`,
      )
    default:
      return new ToolError(
        'busy',
        `The kernel is not ready (${connection.state()}), and still was not after ${waited}. Nothing was sent. Try again, or restart it with restart_notebook.`,
      )
  }
}
