import type { Cell, Notebook } from './nbformat.ts'
import { code, markdown, stream } from './notebook.fixture.ts'

/** Numbers that look random and are the same for the same seed. */
export interface Random {
  below(end: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
}

export function createRandom(seed: number): Random {
  let state = seed
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const more = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return { below, pick: (items) => items[below(items.length)] ?? items[0] }
}

/** Each cell carries in its metadata who it is, which nothing under test looks at. */
export function randomNotebook(random: Random, withIds: boolean): Notebook {
  const cells = Array.from({ length: random.below(12) }, (_, key) =>
    randomCell(random, `seen ${key}`, withIds),
  )
  return { cells, metadata: {}, nbformat: 4, nbformat_minor: withIds ? 5 : 2 }
}

function randomCell(random: Random, key: string, withIds: boolean): Cell {
  const source = random.pick([`${key}\nmore`, `${key}\nmore`, 'the same', ''])
  const rest = { metadata: { key }, ...(withIds && { id: key.replace(' ', '-') }) }
  return random.below(2) === 0 ? code(source, rest) : markdown(source, rest)
}

/** What a person does to a notebook meanwhile. */
export function editAtRandom(random: Random, book: Notebook): Notebook {
  const now = structuredClone(book)
  const withIds = now.nbformat_minor >= 5
  for (let edits = random.below(6), count = 0; count < edits; count += 1) {
    const index = random.below(now.cells.length)
    const cell = now.cells[index]
    const action = random.pick(['insert', 'delete', 'move', 'source', 'outputs', 'replace'])
    if (action === 'insert')
      now.cells.splice(random.below(now.cells.length + 1), 0, randomCell(random, `human ${count}`, withIds))
    if (!cell) continue
    if (action === 'delete') now.cells.splice(index, 1)
    if (action === 'move') now.cells.splice(random.below(now.cells.length), 0, ...now.cells.splice(index, 1))
    if (action === 'source') cell.source = `${cell.source} by hand ${count}`
    if (action === 'outputs' && cell.cell_type === 'code') cell.outputs = [stream(`by hand ${count}`)]
    if (action === 'replace') now.cells.splice(index, 1, randomCell(random, `human ${count}`, withIds))
  }
  return now
}

export function keyOf(cell: Cell | undefined): unknown {
  return cell?.metadata.key
}
