const FIRST_MS = 500
const LONGEST_MS = 30_000
const JITTER = 0.2

/** 0.5, 1, 2, 4 … 30 seconds, each 20 % shorter or longer by chance, so that clients do not come back in step. */
export function backoffDelay(attempt: number, random: () => number): number {
  const steady = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, attempt - 1))
  return steady * (1 - JITTER + 2 * JITTER * random())
}
