import type { Era } from '@quire/mcp/connection/era'
import type { Link as Transports } from '@quire/mcp/connection/link'
import type { Session, SessionOptions } from '@quire/mcp/connection/session'
import type { Target } from '@quire/mcp/connection/target'
import type { Link, LinkOptions } from './link.ts'
import { toLinkEnd } from './link-end.ts'
import { openLinkSession } from './link-session.ts'
import { createPipeLane, type PipeLane, type Send } from './pipe-lane.ts'
import type { RunningProgram } from './remote-program.ts'
import { createSessionLink, type Lanes } from './session-link.ts'

export interface PipeExtras {
  readonly knownEra?: Era | undefined
  readonly program?: RunningProgram | undefined
}

/** A link over one pipe: the standard streams of a program, an old event stream, or the memory of this process. It speaks one era. */
export async function openPipeLink(
  server: string,
  target: Target,
  options: LinkOptions,
  { knownEra = options.knownEra, program }: PipeExtras = {},
): Promise<Link> {
  const lane = createPipeLane({ server, onLog: options.onLog, onGarbage: options.onGarbage })
  let transports: Transports | undefined
  const tap: NonNullable<SessionOptions['tap']> = {
    attach(attached) {
      transports = attached
      lane.attach(toSend(attached))
    },
    onLine: lane.takeLine,
    onMessage: lane.takeMessage,
    onSend: lane.sent,
  }
  const session = await openLinkSession(server, target, options, tap, knownEra)
  lane.open({
    era: session.era,
    protocolVersion: session.client.getNegotiatedProtocolVersion() ?? '',
    clientInfo: options.clientInfo,
  })
  return createSessionLink({
    server,
    session,
    lanes: toLanes(lane, session),
    toEnd: (error) => toLinkEnd(error, transports?.stdio),
    program,
  })
}

function toSend({ stdio, transport }: Transports): Send {
  if (!stdio) return (message) => transport.send(message)
  return (message) => {
    stdio.sendLine(JSON.stringify(message))
    return undefined
  }
}

function toLanes(lane: PipeLane, { era }: Session): Lanes {
  return {
    eraFor: () => era,
    request: lane.request,
    notify: lane.notify,
    end: lane.end,
    close: () => Promise.resolve(),
  }
}
