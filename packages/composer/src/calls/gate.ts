/** A place among those inside, or in the line before the door. */
export interface Ticket {
  /** Resolves when it is its turn; undefined where it was let in at once. */
  readonly turn: Promise<void> | undefined
}

export interface Gate {
  /** Undefined when the line is full. */
  enter(): Ticket | undefined
  /** From inside or from the line; the next one is let in. */
  leave(ticket: Ticket): void
  readonly inside: number
  readonly waiting: number
}

export interface GateLimits {
  readonly inside: number
  readonly waiting: number
}

/** Lets so many in at a time, first come first served. The limits are read anew each time: they may change. */
export function createGate(limits: () => GateLimits): Gate {
  let inside = 0
  const line = new Map<Ticket, () => void>()

  function enter(): Ticket | undefined {
    const { inside: most, waiting } = limits()
    if (inside < most && line.size === 0) {
      inside += 1
      return { turn: undefined }
    }
    if (line.size >= waiting) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    const ticket = { turn: promise }
    line.set(ticket, resolve)
    return ticket
  }

  function leave(ticket: Ticket): void {
    if (line.delete(ticket)) return
    inside -= 1
    if (line.size > 0) admit()
  }

  function admit(): void {
    const most = limits().inside
    for (const [ticket, letIn] of line) {
      if (inside >= most) return
      line.delete(ticket)
      inside += 1
      letIn()
    }
  }

  return Object.freeze({
    enter,
    leave,
    get inside() {
      return inside
    },
    get waiting() {
      return line.size
    },
  })
}
