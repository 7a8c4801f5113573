import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type * as Y from 'yjs'
import { type CellType, idOf, isCell, type SharedCell, sourceOf, tellDoublesApart, typeOf } from './cells.ts'
import type { Person } from './person.ts'
import type { SharedNotebook } from './shared-notebook.ts'

export interface ListedCell {
  readonly id: string
  readonly cell: SharedCell
  readonly source: Y.Text
}

/** What a cell is beside its text. */
export interface CellState {
  readonly type: CellType
  readonly executionCount: number | undefined
  readonly isRunning: boolean
  readonly outputs: readonly unknown[]
}

export function useCells(shared: SharedNotebook): readonly ListedCell[] {
  const { cells } = shared
  const store = useMemo(
    () =>
      createStore(
        (tell) => {
          const listen = (events: readonly Y.YEvent<Y.AbstractType<unknown>>[]) => {
            if (events.some(changesList)) tell()
          }
          cells.observeDeep(listen)
          return () => cells.unobserveDeep(listen)
        },
        () => listCells(cells),
      ),
    [cells],
  )
  const listed = useSyncExternalStore(store.subscribe, store.read)
  useEffect(() => {
    if (listed.length < cells.length) tellDoublesApart(shared)
  }, [listed, cells, shared])
  return listed
}

export function useCellState(cell: SharedCell): CellState {
  const store = useMemo(
    () =>
      createStore(
        (tell) => {
          const listen = (events: readonly Y.YEvent<Y.AbstractType<unknown>>[]) => {
            if (events.some(({ target }) => target !== cell.get('source'))) tell()
          }
          cell.observeDeep(listen)
          return () => cell.unobserveDeep(listen)
        },
        () => toCellState(cell),
      ),
    [cell],
  )
  return useSyncExternalStore(store.subscribe, store.read)
}

export function useText(text: Y.Text): string {
  const subscribe = useCallback(
    (tell: () => void) => {
      text.observe(tell)
      return () => text.unobserve(tell)
    },
    [text],
  )
  return useSyncExternalStore(subscribe, () => text.toString())
}

export function useValue(map: Y.Map<unknown>, key: string): unknown {
  const subscribe = useCallback(
    (tell: () => void) => {
      map.observe(tell)
      return () => map.unobserve(tell)
    },
    [map],
  )
  return useSyncExternalStore(subscribe, () => map.get(key))
}

/** Where it is now, once it was moved from where it was opened. A room that was opened after that may still tell the old place. */
export function useMovedTo({ state }: SharedNotebook, path: string): string | undefined {
  const told = useValue(state, 'path')
  const [first] = useState(told)
  return typeof told === 'string' && told !== '' && told !== first && told !== path ? told : undefined
}

export function useCanUndo({ undo }: SharedNotebook): boolean {
  const subscribe = useCallback(
    (tell: () => void) => {
      const events = ['stack-item-added', 'stack-item-popped', 'stack-cleared'] as const
      for (const event of events) undo.on(event, tell)
      return () => {
        for (const event of events) undo.off(event, tell)
      }
    },
    [undo],
  )
  return useSyncExternalStore(subscribe, undo.canUndo.bind(undo))
}

export function usePeople({ presence }: SharedNotebook): readonly Person[] {
  return useSyncExternalStore(presence.subscribe, presence.people)
}

/** How many people there are, with those who are not shown. */
export function usePeopleTotal({ presence }: SharedNotebook): number {
  return useSyncExternalStore(presence.subscribe, presence.total)
}

/** A cell came, went, or has another id or text; anybody may put something else in the place of either. */
export function changesList({ path, changes }: Y.YEvent<Y.AbstractType<unknown>>): boolean {
  return path.length === 0 || (path.length === 1 && (changes.keys.has('id') || changes.keys.has('source')))
}

export function listCells(cells: Y.Array<unknown>): readonly ListedCell[] {
  const taken = new Set<string>()
  return cells.toArray().flatMap((cell) => {
    const id = idOf(cell)
    // Half of a cell is none; a second one of the same id is about to get another.
    if (!isCell(cell) || id === undefined || taken.has(id)) return []
    taken.add(id)
    return [{ id, cell, source: sourceOf(cell) }]
  })
}

function toCellState(cell: SharedCell): CellState {
  const { execution_count, execution_state, outputs } = cell.toJSON()
  return {
    type: typeOf(cell),
    executionCount: typeof execution_count === 'number' ? execution_count : undefined,
    isRunning: execution_state === 'running',
    outputs: Array.isArray(outputs) ? outputs : [],
  }
}

/** Reads once for each change, because what is read is another object each time. */
function createStore<Value>(observe: (tell: () => void) => () => void, read: () => Value) {
  let value: Value | undefined
  return {
    subscribe(tell: () => void) {
      value = undefined
      return observe(() => {
        value = undefined
        tell()
      })
    },
    read(): Value {
      value ??= read()
      return value
    },
  }
}
