import type { Logger } from '@quire/kit/log'
import type { Toolsets } from '@quire/mcp/toolsets/toolsets'
import type { AgentRecord } from './agents/agent-record.ts'

/** The names of an agent's toolsets that are not there now. */
export type AbsentToolsets = (agent: Pick<AgentRecord, 'id' | 'mcpToolsets'>) => readonly string[]

/** Of so many agents it is known what was told of them last. */
const MOST_AGENTS = 1_000

/** Tells the log whenever it is others than before that an agent has to go without, and not with each prompt. */
export function createAbsentToolsets(
  toolsets: Pick<Toolsets, 'status'>,
  logger: Pick<Logger, 'warn' | 'info'>,
): AbsentToolsets {
  const told = new Map<string, string>()

  function tell(agent: string, absent: readonly string[]): void {
    const now = absent.join()
    if ((told.get(agent) ?? '') === now) return
    told.delete(agent)
    const [oldest] = told.keys()
    if (told.size >= MOST_AGENTS && oldest !== undefined) told.delete(oldest)
    if (now !== '') told.set(agent, now)
    if (now === '') logger.info({ agent }, 'an agent has all its toolsets again')
    else logger.warn({ agent, absent }, 'an agent goes without toolsets that are not there')
  }

  return ({ id, mcpToolsets }) => {
    const { servers } = toolsets.status()
    const absent = mcpToolsets.filter((name) => !(Object.hasOwn(servers, name) && servers[name]?.ready))
    tell(id, absent)
    return absent
  }
}

/** For the model, which would otherwise tell its user of tools that it cannot find, or make them up. */
export function absenceNotice(absent: readonly string[]): string {
  if (absent.length === 0) return ''
  return `These toolsets are not available right now, and none of their tools can be used: ${absent.join(', ')}. Say so where one of them is needed.`
}
