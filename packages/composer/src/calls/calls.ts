import type { Asker, Params, Reply } from '../rpc.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'

/** Requests to servers within the limits that each server has. */
export interface Calls {
  /**
   * One request to one server. Waits its turn, ends in time, is asked again once if a remote had forgotten us (it did not read it then), and never otherwise.
   * What the server itself answers comes back, errors included; whatever kept it from answering rejects as a `ComposerError`.
   */
  request(server: SupervisedServer, method: string, params: Params, asker: Asker): Promise<Reply>
  status(server: string): CallStatus
  /** Lets nothing begin any more, and waits for what is under way, until the grace is over; then cancels it. */
  drain(graceMs: number): Promise<void>
}

export interface CallStatus {
  readonly inFlight: number
  readonly queued: number
  readonly circuit: 'closed' | 'open' | 'half-open'
}
