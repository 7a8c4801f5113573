import type { Asker, Params } from '../rpc.ts'
import type { LinkLog } from './link.ts'
import type { ProgressToken } from './outgoing-params.ts'

/** The askers of the only client among these; undefined when there are several clients, for nobody can tell whom of them a server means. */
export function askersOfOneClient(askers: Iterable<Asker>): readonly Asker[] | undefined {
  const found: Asker[] = []
  for (const asker of askers) {
    if (found[0] && found[0].client !== asker.client) return undefined
    found.push(asker)
  }
  return found
}

/** Progress as its asker knows it. */
export function tellProgress(asker: Asker, token: ProgressToken | undefined, params: Params): void {
  if (token !== undefined) tell([asker], 'notifications/progress', { ...params, progressToken: token })
}

/** False when none of them listens. */
export function tell(askers: readonly Asker[] | undefined, method: string, params: Params): boolean {
  const listener = askers?.find(({ notify }) => notify)
  try {
    listener?.notify?.(method, params)
  } catch {
    // A listener that fails has itself to blame: the pipe is also that of all others.
  }
  return listener !== undefined
}

export function toLog({ level, logger, data }: Params): LinkLog {
  return {
    level: typeof level === 'string' ? level : 'info',
    ...(typeof logger === 'string' && { logger }),
    data,
  }
}
