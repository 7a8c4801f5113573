import { ToolError } from '../../tool-error.ts'
import type { ExecutionEvent } from './execution-event.ts'

/** Why an execution will not come to its end. */
export type Loss = Omit<Extract<ExecutionEvent, { type: 'lost' }>, 'type'>

const VARIABLES = 'All variables are lost: run the cells that define them again.'

export function died(isRestarted: boolean): Loss {
  const next = isRestarted
    ? 'The notebook server has started it again.'
    : 'Restart it with restart_notebook, or take another kernel.'
  return {
    reason: 'died',
    message: `The kernel died: it may have run out of memory, or the code ended its process. ${next} ${VARIABLES}`,
  }
}

export function restarted(): Loss {
  return {
    reason: 'restarted',
    message: `The kernel was restarted by somebody else before the code had finished. ${VARIABLES}`,
  }
}

export function gone(kernelId: string): Loss {
  return {
    reason: 'gone',
    message: `The kernel ${kernelId} is gone: it was shut down or culled, or the notebook server was restarted. ${VARIABLES}`,
  }
}

export function closedHere(): Loss {
  return {
    reason: 'disconnected',
    message: 'The connection to the kernel was closed here before the code had finished.',
  }
}

/** The code was sent, and afterwards the kernel knew nothing of it. */
export function unseen(isCertain: boolean): Loss {
  return {
    reason: 'disconnected',
    message: isCertain
      ? 'The connection broke before the code reached the kernel, so it did not run. It was not sent again: run it once more.'
      : 'Nothing was heard of the code after it was sent: the connection broke, or the kernel was just being restarted. Whether it ran is not known, and it was not sent again: look for its effects before you run it once more.',
  }
}

/** The kernel began and ended it, and never said how. */
export function unanswered(): Loss {
  return {
    reason: 'disconnected',
    message:
      'The kernel is through with the code and sent no reply, so how it ended is not known. It was not sent again: look for its effects before you run it once more.',
  }
}

export function fromError(error: unknown, kernelId: string): Loss {
  if (isNotFound(error)) return gone(kernelId)
  const why = error instanceof Error ? error.message : String(error)
  return {
    reason: 'disconnected',
    message: `The connection to the kernel broke and could not be made again, so how the code ended is not known. It was not sent again. ${why}`,
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ToolError && error.code === 'not_found'
}
