/** Runs one thing after the other. One that fails fails for its caller alone. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return function takeTurn(work) {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}
