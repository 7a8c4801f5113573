import { ToolError } from '../tool-error.ts'
import type { KernelConnection } from '../upstream/kernel/kernel-connection.ts'

/** What is sent while other code runs cannot be taken back, and would still run after its caller has given up on it. Returns what ends the turn. */
export async function waitForTurn(
  connection: KernelConnection,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal | undefined },
): Promise<() => void> {
  const deadline = AbortSignal.timeout(Math.ceil(waitMs))
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline
  let end: (() => void) | undefined
  try {
    end = await connection.takeTurn(either)
    if (!isFree(connection)) await connection.whenIdle(either)
    return end
  } catch (error) {
    if (error === deadline.reason && end && isFree(connection)) return end
    end?.()
    throw error === deadline.reason ? refusal(connection, `${Math.round(waitMs / 100) / 10} s`) : error
  }
}

function isFree(connection: KernelConnection): boolean {
  const state = connection.state()
  return state === 'idle' && !connection.isBusyElsewhere()
}

function refusal(connection: KernelConnection, waited: string): ToolError {
  switch (connection.state()) {
    case 'idle':
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
