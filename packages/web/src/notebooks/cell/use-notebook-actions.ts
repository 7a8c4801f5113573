import { useMemo, useRef } from 'react'
import { announce } from '../../ui/announce.ts'
import { deleteCell, idOf, insertCell, isCell } from '../live/cells.ts'
import type { Runner } from '../live/runner.ts'
import type { SharedNotebook } from '../live/shared-notebook.ts'
import type { CellHandle, NotebookActions } from './notebook-actions.ts'

export function useNotebookActions(
  shared: SharedNotebook,
  runner: Runner,
  showKeys: () => void,
): NotebookActions {
  const handles = useRef(new Map<string, CellHandle>())
  /** A cell that is to be written in as soon as it is there. */
  const wanted = useRef<string>(undefined)

  return useMemo(() => {
    const ids = () => shared.cells.toArray().map(idOf)

    function insertAt(index: number, type: Parameters<NotebookActions['insert']>[2]): void {
      wanted.current = insertCell(shared, index, type)
    }

    return Object.freeze<NotebookActions>({
      shared,
      register(id, handle) {
        handles.current.set(id, handle)
        if (wanted.current === id) {
          wanted.current = undefined
          handle.edit()
        }
        return () => {
          if (handles.current.get(id) === handle) handles.current.delete(id)
        }
      },
      run: (chosen) => runner.run(chosen),
      goOn(id) {
        const all = ids()
        const next = all[all.indexOf(id) + 1]
        if (next === undefined) insertAt(all.length, 'code')
        else handles.current.get(next)?.show()
      },
      reach: (id, how) => handles.current.get(id)?.[how](),
      step(id, by) {
        const all = ids()
        const next = all[all.indexOf(id) + by]
        if (next !== undefined) handles.current.get(next)?.show()
      },
      remove(id) {
        const all = ids()
        const at = all.indexOf(id)
        const next = all[at + 1] ?? all[at - 1]
        if (next !== undefined) handles.current.get(next)?.show()
        const cell = shared.cells.get(at)
        if (at === -1 || !isCell(cell)) return
        deleteCell(shared, cell)
        announce(`Cell ${at + 1} was deleted.`)
      },
      showKeys,
      append: (type) => insertAt(shared.cells.length, type),
      insert: (id, offset, type) => insertAt(ids().indexOf(id) + offset, type),
    })
  }, [shared, runner, showKeys])
}
