/** Lets the calls of one app through, once a person has allowed the tool. */
export interface CallGate {
  readonly run: (tool: string, work: () => Promise<unknown>) => Promise<unknown>
  /** The tool that a person is to decide about next. */
  readonly asked: () => string | undefined
  readonly decide: (tool: string, isAllowed: boolean) => void
  /** Refuses what waits, and forgets what was decided. */
  readonly clear: () => void
  readonly watch: (tell: () => void) => () => void
}

interface Waiting {
  readonly tool: string
  readonly start: () => void
  readonly refuse: (reason: string) => void
}

const MOST_IN_FLIGHT = 4
const MOST_WAITING = 20
/** Without blanks and what cannot be seen, such as that which turns the direction of writing: a person decides by the name. */
const NAME = /^[^\p{C}\p{Z}]{1,256}$/u

export function createCallGate(): CallGate {
  const decided = new Map<string, boolean>()
  const watchers = new Set<() => void>()
  let waiting: readonly Waiting[] = []
  let inFlight = 0

  return Object.freeze({ run, asked, decide, clear, watch })

  async function run(tool: string, work: () => Promise<unknown>): Promise<unknown> {
    if (!NAME.test(tool)) throw new Error('This is not the name of a tool.')
    if (decided.get(tool) === false) throw new Error(refusalOf(tool))
    if (waiting.length >= MOST_WAITING)
      throw new Error('Too many calls of this app wait already. Call again when some have ended.')
    await new Promise<void>((resolve, reject) => {
      waiting = [...waiting, { tool, start: resolve, refuse: (reason) => reject(new Error(reason)) }]
      advance()
    })
    try {
      return await work()
    } finally {
      inFlight -= 1
      advance()
    }
  }

  function asked(): string | undefined {
    return waiting.find(({ tool }) => !decided.has(tool))?.tool
  }

  function decide(tool: string, isAllowed: boolean): void {
    decided.set(tool, isAllowed)
    if (!isAllowed) refuse((one) => one.tool === tool, refusalOf(tool))
    advance()
  }

  function clear(): void {
    refuse(() => true, 'The app was closed before a person allowed this call.')
    decided.clear()
    advance()
  }

  function watch(tell: () => void): () => void {
    watchers.add(tell)
    return () => watchers.delete(tell)
  }

  function refuse(isMeant: (one: Waiting) => boolean, reason: string): void {
    const refused = waiting.filter(isMeant)
    waiting = waiting.filter((one) => !isMeant(one))
    for (const one of refused) one.refuse(reason)
  }

  function advance(): void {
    const ready = waiting.filter(({ tool }) => decided.get(tool)).slice(0, MOST_IN_FLIGHT - inFlight)
    waiting = waiting.filter((one) => !ready.includes(one))
    inFlight += ready.length
    for (const one of ready) one.start()
    for (const tell of watchers) tell()
  }
}

function refusalOf(tool: string): string {
  return `A person refused that this app calls ${tool}.`
}
