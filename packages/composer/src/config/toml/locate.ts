import type { Layout, LayoutNode, Path } from './layout.ts'

/** Both count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface Locator {
  /** Where the key stands, or the item; of what is not there, the nearest thing around it. */
  of(path: Path): Position
  /** Where a word stands within the value, if it is written there as it is. */
  within(path: Path, word: string): Position
}

export function createLocator(text: string, layout: Layout): Locator {
  const places = placesOf(layout)
  const lineStarts = startsOfLines(text)

  function positionAt(offset: number): Position {
    let low = 0
    let high = lineStarts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((lineStarts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 }
  }

  function offsetOf(path: Path): number {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = places.get(JSON.stringify(path.slice(0, length)))?.start
      if (offset !== undefined) return offset
    }
    return 0
  }

  return Object.freeze({
    of: (path: Path) => positionAt(offsetOf(path)),
    within(path: Path, word: string) {
      const value = places.get(JSON.stringify(path))?.value
      const offset = value ? text.slice(value.start, value.end).indexOf(word) : -1
      return positionAt(value && offset >= 0 ? value.start + offset : offsetOf(path))
    },
  })
}

interface Place {
  readonly start: number
  readonly value?: LayoutNode['value']
}

/** A table that only its parts name (`[a.b]` names `a`) is where the first of them is. */
function placesOf(layout: Layout): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  for (const section of layout.sections) {
    addWithParents(section.path, { start: section.header.start })
    for (const node of section.nodes) addNode(node)
  }
  return places

  function addNode(node: LayoutNode): void {
    addWithParents(node.path, { start: node.key.start, value: node.value })
    for (const child of node.children) addNode(child)
  }

  function addWithParents(path: Path, place: Place): void {
    places.set(JSON.stringify(path), place)
    for (let length = path.length - 1; length > 0; length -= 1) {
      const parent = JSON.stringify(path.slice(0, length))
      if (places.has(parent)) return
      places.set(parent, { start: place.start })
    }
  }
}

function startsOfLines(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
