import type { SupervisorEvent } from '../supervisor/supervisor.ts'
import type { DrivenGateway } from './driven-gateway.ts'

/** Tells a gateway what a supervisor tells. */
export function driveGateway(gateway: DrivenGateway, event: SupervisorEvent): void {
  if (event.type === 'catalog') gateway.changed(event.kind === 'resourceTemplates' ? 'resources' : event.kind)
  else if (event.type === 'resource') gateway.resourceUpdated(event.server, event.uri)
  else if (event.type === 'state' && event.state === 'running') gateway.linkReplaced(event.server)
}
