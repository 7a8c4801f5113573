import type { Candidate } from './supervisor-calls.ts'

/** The first of those free, else of all, who were given fewest tasks, the supervisor last. */
export function chooseByRule(candidates: readonly Candidate[], supervisor: string): Candidate | undefined {
  const free = candidates.filter(({ isBusy }) => !isBusy)
  const [first] = (free.length > 0 ? free : candidates).toSorted(
    (one, other) =>
      Number(one.name === supervisor) - Number(other.name === supervisor) || one.taken - other.taken,
  )
  return first
}
