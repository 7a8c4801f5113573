/**
 * Shares a budget out: whoever needs little gets all of it, and those who need more than their part get equal parts of the rest.
 */
export function shareOut(needs: readonly number[], budget: number): number[] {
  const shares = needs.map(() => 0)
  const smallestFirst = needs
    .map((need, index) => ({ need, index }))
    .sort((one, other) => one.need - other.need)
  let left = budget
  let waiting = needs.length
  for (const { need, index } of smallestFirst) {
    const share = Math.min(need, Math.floor(left / waiting))
    shares[index] = share
    left -= share
    waiting -= 1
  }
  return shares
}
