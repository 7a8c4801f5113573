import type { Reply } from '../rpc.ts'
import type { SupervisedServer } from '../supervisor/supervisor.ts'
import { type Call, createCall, isServerFault, runCall } from './call.ts'
import { busy, cancelled, circuitOpen, cutShort, stopping } from './call-failure.ts'
import type { CallStatus, Calls } from './calls.ts'
import { type Circuit, createCircuit } from './circuit.ts'
import { createGate, type Gate } from './gate.ts'
import { createUnderWay } from './under-way.ts'

/** What is kept of a server between its calls. */
interface Lane {
  server: SupervisedServer
  readonly gate: Gate
  readonly circuit: Circuit
}

const IDLE: CallStatus = Object.freeze({ inFlight: 0, queued: 0, circuit: 'closed' })

/** With so many lanes, those of servers without calls are cleared away: some of them may be long gone. */
const MANY_LANES = 256

export function createCalls(): Calls {
  const lanes = new Map<string, Lane>()
  const underWay = createUnderWay<Call>()
  let drained: Promise<void> | undefined
  let onEmpty: (() => void) | undefined

  const request: Calls['request'] = async (server, method, params, asker) => {
    const call = createCall(server, method, params, asker)
    if (drained) throw stopping(call.asked)
    if (asker.signal.aborted) throw cancelled(call.asked, asker.signal.reason)
    return runInLane(call, laneOf(server))
  }

  async function runInLane(call: Call, { server, gate, circuit }: Lane): Promise<Reply> {
    const { limits } = server.definition
    const ticket = gate.enter()
    if (!ticket) throw busy(call.asked, limits)
    const entry = circuit.enter(server.link())
    const isTrial = entry === 'trial'
    underWay.add(call)
    try {
      if (typeof entry === 'number') throw circuitOpen(call.asked, entry)
      const reply = await runCall(call, ticket.turn)
      circuit.answered()
      return reply
    } catch (error) {
      if (isServerFault(call, error)) circuit.failed(isTrial, call.link, limits)
      else circuit.left(isTrial)
      throw error
    } finally {
      gate.leave(ticket)
      underWay.remove(call)
      if (underWay.size === 0) onEmpty?.()
    }
  }

  function laneOf(server: SupervisedServer): Lane {
    const known = lanes.get(server.name)
    if (known) {
      known.server = server
      return known
    }
    if (lanes.size >= MANY_LANES) clearLanes()
    const gate = createGate(() => {
      const { inFlight, queued } = lane.server.definition.limits
      return { inside: inFlight, waiting: queued }
    })
    const lane: Lane = { server, gate, circuit: createCircuit(() => performance.now()) }
    lanes.set(server.name, lane)
    return lane
  }

  function clearLanes(): void {
    for (const [name, { gate, circuit }] of lanes) {
      if (gate.inside === 0 && gate.waiting === 0 && circuit.state === 'closed') lanes.delete(name)
    }
  }

  async function drain(graceMs: number): Promise<void> {
    for (const call of underWay.all()) if (call.stage === 'line') call.stop(stopping(call.asked))
    const { promise: empty, resolve } = Promise.withResolvers<void>()
    onEmpty = resolve
    if (underWay.size === 0) return
    const grace = setTimeout(() => {
      for (const call of underWay.all()) call.stop(cutShort(call.asked))
    }, graceMs)
    await empty
    clearTimeout(grace)
  }

  return Object.freeze({
    request,
    status(server: string): CallStatus {
      const lane = lanes.get(server)
      if (!lane) return IDLE
      const { gate, circuit } = lane
      return { inFlight: gate.inside, queued: gate.waiting, circuit: circuit.state }
    },
    drain(graceMs: number): Promise<void> {
      drained ??= drain(graceMs)
      return drained
    },
  })
}
