import { isRecord } from '@quire/mcp/json'
import type { Asker, Params } from '../rpc.ts'
import type { CallLimits } from '../server-definition.ts'

export interface CallDeadline {
  /** Progress puts it off, up to the limit of the whole call. */
  putOff(): void
  /** While somebody is asked, their time counts and not the server's, which begins anew when the returned function is called. */
  hold(): () => void
  end(): void
}

/** How long a person may think about a question. */
const QUESTION_MS = 300_000

/** Calls back when the call has taken too long, with the limit that it reached. */
export function createCallDeadline(limits: CallLimits, onOver: (ms: number) => void): CallDeadline {
  const { timeoutMs, maxTotalMs, resetOnProgress } = limits
  const total = resetOnProgress ? setTimeout(onOver, maxTotalMs, maxTotalMs) : undefined
  let timer = setTimeout(onOver, timeoutMs, timeoutMs)
  let questions = 0
  let isOver = false

  function arm(ms: number): void {
    clearTimeout(timer)
    if (!isOver) timer = setTimeout(onOver, ms, ms)
  }

  return {
    putOff(): void {
      if (resetOnProgress) timer.refresh()
    },
    hold() {
      questions += 1
      arm(Math.max(QUESTION_MS, timeoutMs))
      return () => {
        questions -= 1
        if (questions === 0) arm(timeoutMs)
      }
    },
    end(): void {
      isOver = true
      clearTimeout(timer)
      clearTimeout(total)
    },
  }
}

/** The same asker, whose time to answer is not counted as the server's. */
export function withHeldQuestions(asker: Asker, deadline: CallDeadline): Asker {
  const { ask } = asker
  if (!ask) return asker
  return {
    ...asker,
    async ask(method, params, signal) {
      const release = deadline.hold()
      try {
        return await ask(method, params, signal)
      } finally {
        release()
      }
    },
  }
}

const PROGRESS = 'notifications/progress'

/** The same request, with progress asked for even where the asker wants none: then it goes no further than here. */
export function withProgress(
  params: Params,
  asker: Asker,
  onProgress: () => void,
): { readonly params: Params; readonly asker: Asker } {
  const meta = isRecord(params._meta) ? params._meta : {}
  const isWanted = meta.progressToken !== undefined
  return {
    params: isWanted ? params : { ...params, _meta: { ...meta, progressToken: 'progress' } },
    asker: {
      ...asker,
      notify(method, told) {
        if (method === PROGRESS) onProgress()
        if (method !== PROGRESS || isWanted) asker.notify?.(method, told)
      },
    },
  }
}
