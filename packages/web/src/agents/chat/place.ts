const PLACE = /^(.+)\.(\d+)\.(\d+)$/

/** Ids of frames are `turn.slot.offset`: whether one comes behind the other in the same turn. */
export function isBehind(id: string, before: string | undefined): boolean {
  const [, turn, slot, offset] = PLACE.exec(id) ?? []
  const [, lastTurn, lastSlot, lastOffset] = PLACE.exec(before ?? '') ?? []
  if (turn === undefined || turn !== lastTurn) return false
  const steps = Number(slot) - Number(lastSlot)
  return steps > 0 || (steps === 0 && Number(offset) > Number(lastOffset))
}
