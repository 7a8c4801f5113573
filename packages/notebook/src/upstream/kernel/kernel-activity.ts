import type { KernelState } from './kernel-connection.ts'
import { type KernelMessage, parentOf } from './message.ts'

/** What the kernel is at, beside the code that we sent ourselves. */
export interface KernelActivity {
  state(): KernelState
  /** Requests of others that the kernel is at. */
  isBusyWithOthers(): boolean
  /**
   * A connection was made; `said` is the notebook server's word for the kernel's state. Whether it is idle it may not know, so a kernel that
   * has not answered yet counts as busy, unless code of ours would explain its silence.
   */
  begin(said: unknown, isWithOurs: boolean): void
  /** A status message; `isOurs`: it answers a request of ours. */
  note(message: KernelMessage, isOurs: boolean): void
  /** The kernel answered a question of ours, which came behind all that others had asked before. */
  hasAnswered(): void
  turn(state: 'restarting' | 'dead' | 'unknown'): void
}

const MAX_OTHERS = 1000

export function createKernelActivity(): KernelActivity {
  /** By the ids of the requests. */
  const others = new Set<string>()
  let state: KernelState = 'unknown'

  function turn(next: KernelState): void {
    state = next
    others.clear()
  }

  return Object.freeze({
    state: () => (state === 'idle' && others.size > 0 ? 'busy' : state),
    isBusyWithOthers: () => state === 'busy' || others.size > 0,
    begin(said: unknown, isWithOurs: boolean) {
      // "dead" is not believed: a kernel that has died is unknown to the server, and code in a kernel can say it of a living one.
      if (said === 'starting' || said === 'restarting') turn(said)
      else turn(isWithOurs ? 'idle' : 'busy')
    },
    note(message: KernelMessage, isOurs: boolean) {
      const parent = parentOf(message)
      if (isOurs || parent === undefined) return
      if (message.content.execution_state === 'idle') others.delete(parent)
      else if (message.content.execution_state === 'busy' && others.size < MAX_OTHERS) others.add(parent)
    },
    hasAnswered: () => turn('idle'),
    turn,
  })
}
