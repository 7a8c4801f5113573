import { createSingleGateway, type SingleGatewayOptions } from '../gateway/create-single-gateway.ts'
import { driveGateway } from '../gateway/drive-gateway.ts'
import type { DrivenGateway } from '../gateway/driven-gateway.ts'
import type { ServerDefinition } from '../server-definition.ts'
import type { ServerState } from '../supervisor/server-state.ts'
import type { Supervisor, SupervisorEvent } from '../supervisor/supervisor.ts'

export interface PassThroughOptions extends Omit<SingleGatewayOptions, 'server'> {
  /** A supervisor of its own for each, so that one is not disturbed by what becomes of another. */
  readonly createSupervisor: (onEvent: (event: SupervisorEvent) => void) => Supervisor
}

/** One supervised server behind a gateway that only passes through. */
export interface PassThrough {
  readonly gateway: DrivenGateway
  state(): ServerState
  /** Resolves when it is ready; rejects with a `ComposerError` that has the reason. */
  start(): Promise<void>
  /** Done when nothing of it is left. */
  close(): Promise<void>
}

export async function createPassThrough(
  definition: ServerDefinition,
  options: PassThroughOptions,
): Promise<PassThrough> {
  let gateway: DrivenGateway | undefined
  const supervisor = options.createSupervisor((event) => gateway && driveGateway(gateway, event))
  await supervisor.apply([definition])
  const server = supervisor.find(definition.name)
  if (!server) throw new Error(`the supervisor does not know "${definition.name}"`)
  const single = createSingleGateway({ ...options, server })
  gateway = single
  return Object.freeze({
    gateway: single,
    state: () => server.status().state,
    start: server.start,
    close() {
      single.close()
      return supervisor.close()
    },
  })
}
