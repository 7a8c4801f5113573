import { expect, test } from 'vitest'
import { ToolError } from '../tool-error.ts'
import type { EditPlace, Place, Snapshot } from './document.ts'
import { deleteCells, insertCell } from './edit-cells.ts'
import { overwriteSource } from './edit-source.ts'
import type { Cell, Notebook } from './nbformat.ts'
import { createRandom, editAtRandom, keyOf, randomNotebook } from './random.fixture.ts'
import { rebase } from './rebase.ts'

const ROUNDS = 1_000

/** One round: what was seen, what a person made of it, and where an edit of it would land. */
function play(seed: number, withIds: boolean) {
  const random = createRandom(seed)
  const seen: Snapshot = { notebook: randomNotebook(random, withIds), revision: '1' }
  const now: Snapshot = { notebook: editAtRandom(random, seen.notebook), revision: '2' }
  return { random, seen, now }
}

function tryRebase(where: EditPlace, now: Snapshot, seen: Snapshot): Place | 'conflict' {
  try {
    return rebase(where, now, seen).place
  } catch (error) {
    if (error instanceof ToolError && error.code === 'conflict') return 'conflict'
    throw error
  }
}

function contentOf(cell: Cell | undefined): unknown {
  return [cell?.cell_type, cell?.source, cell?.cell_type === 'code' ? cell.outputs : []]
}

function byKey({ cells }: Notebook, key: unknown): Cell | undefined {
  return cells.find((cell) => keyOf(cell) === key)
}

test.each([
  ['with ids', true],
  ['without ids', false],
])('%s an edit lands on the cell that was meant, and takes nothing from anybody', (_what, withIds) => {
  let landed = 0
  let refused = 0
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const { random, seen, now } = play(seed, withIds)
    const index = random.below(seen.notebook.cells.length)
    const meant = seen.notebook.cells[index]
    if (!meant) continue
    const touches = random.pick<'source' | 'structure'>(['source', 'structure'])
    const target = withIds && meant.id && random.below(2) === 0 ? { id: meant.id } : { index }
    const place = tryRebase({ cells: [target], touches }, now, seen)
    const counterpart = byKey(now.notebook, keyOf(meant))
    const context = `seed ${seed}, cell ${index}`

    if (place === 'conflict') {
      refused += 1
      const isUntouched =
        counterpart && JSON.stringify(contentOf(counterpart)) === JSON.stringify(contentOf(meant))
      const isUnmistakable = withIds || (meant.source !== '' && meant.source !== 'the same')
      expect(isUntouched && isUnmistakable, context).toBeFalsy()
      continue
    }
    landed += 1
    const [found = -1] = place.cells
    const hit = now.notebook.cells[found]
    if (withIds && counterpart) expect(keyOf(hit), context).toBe(keyOf(meant))
    expect([hit?.cell_type, hit?.source], context).toEqual([meant.cell_type, meant.source])

    const draft = structuredClone(now.notebook)
    if (touches === 'source') overwriteSource(draft, found, 'by the agent')
    else deleteCells(draft, [found])
    const others = (book: Notebook) => book.cells.filter((cell) => keyOf(cell) !== keyOf(hit))
    expect(others(draft), context).toEqual(others(now.notebook))
  }
  expect(landed).toBeGreaterThan(ROUNDS / 3)
  expect(refused).toBeGreaterThan(ROUNDS / 20)
})

test.each([
  ['with ids', true],
  ['without ids', false],
])('%s a new cell lands between the neighbours that it was meant for', (_what, withIds) => {
  let landed = 0
  let refused = 0
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const { random, seen, now } = play(seed, withIds)
    const gap = random.below(seen.notebook.cells.length + 1)
    const place = tryRebase({ gap, touches: 'structure' }, now, seen)
    const context = `seed ${seed}, gap ${gap}`
    const where = (cell: Cell | undefined) =>
      now.notebook.cells.findIndex((other) => keyOf(other) === keyOf(cell))
    const [before, behind] = [seen.notebook.cells[gap - 1], seen.notebook.cells[gap]]
    const [previous, next] = [before ? where(before) : -1, behind ? where(behind) : now.notebook.cells.length]

    if (place === 'conflict') {
      refused += 1
      const isPlain = previous < next && (!before || previous !== -1)
      if (withIds) expect(isPlain, context).toBe(false)
      continue
    }
    landed += 1
    const draft = structuredClone(now.notebook)
    insertCell(draft, place.gap, 'code', 'by the agent')
    expect(draft.cells.toSpliced(place.gap, 1), context).toEqual(now.notebook.cells)
    if (!withIds) continue
    // A neighbour that was replaced by one of the same content counts as still there.
    const follower = now.notebook.cells[place.gap]
    const isBeforeEqual = behind && JSON.stringify(contentOf(follower)) === JSON.stringify(contentOf(behind))
    if (next !== -1) expect(place.gap, context).toBe(next)
    else if (!isBeforeEqual && previous !== -1) expect(place.gap, context).toBe(previous + 1)
  }
  expect(landed).toBeGreaterThan(ROUNDS / 3)
  expect(refused).toBeGreaterThan(ROUNDS / 100)
})
