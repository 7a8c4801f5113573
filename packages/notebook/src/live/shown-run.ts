import { Array as SharedList, Map as SharedMap, type Transaction } from 'yjs'
import { changedCell } from '../document/conflict.ts'
import type { Edited, ShownRun, Snapshot } from '../document/document.ts'
import type { After } from '../document/file-watch.ts'
import { cellAt } from '../document/find-cell.ts'
import type { Cell, Notebook, Output } from '../document/nbformat.ts'
import { rebase } from '../document/rebase.ts'
import { editRoom } from './edit-room.ts'
import { type LiveRoom, OWN } from './open-live-room.ts'
import type { RoomKeeper } from './room-keeper.ts'
import { EXECUTION_STATE } from './shared-cell.ts'
import { writeOutputs } from './write-outputs.ts'

export interface ShownRunOptions {
  readonly path: string
  readonly keeper: RoomKeeper
  readonly index: number
  readonly seen: Snapshot
  /** Shown to the others in the room, in the cell. */
  readonly author: string | undefined
  readonly after: After
  readonly onWrite: () => void
}

interface News {
  readonly outputs: () => readonly Output[]
  readonly executionCount: number | null
}

/** The cell while it is shown, in one connection. */
interface Shown {
  readonly room: LiveRoom
  readonly id: string
  readonly outputs: SharedList<unknown>
  /** What the list reads, as far as it is ours. */
  written: readonly Output[]
  /** Somebody else has changed the outputs: they are left alone from then on. */
  isDisturbed: boolean
  leave(): void
}

const SHOW_EVERY_MS = 50

export function createShownRun(options: ShownRunOptions): ShownRun {
  const { path, keeper, index, seen, author, after, onWrite } = options
  const original = cellAt(seen.notebook, index)
  const letGo = keeper.hold()
  let shown: Shown | undefined
  let news: News | undefined
  let cancelShowing: (() => void) | undefined
  let isOver = false
  let work: Promise<void> = Promise.resolve()

  async function showNow(): Promise<void> {
    const latest = news
    news = undefined
    if (!latest || isOver) return
    const room = await keeper.use()
    if (isOver) return
    shown = await find(room)
    if (!shown || shown.isDisturbed) return
    write(shown, latest)
  }

  /** In a new connection the cell is another object; what is in it there counts as ours. */
  async function find(room: LiveRoom): Promise<Shown | undefined> {
    if (shown?.room === room) return shown
    shown?.leave()
    const current = room.reader.snapshot()
    const cells = room.doc.getArray('cells').toArray()
    const at = shown ? cells.findIndex((cell) => idOf(cell) === shown?.id) : placeIn(current)
    const cell = cells[at]
    const json = current.notebook.cells[at]
    const outputs = cell instanceof SharedMap ? cell.get('outputs') : undefined
    const id = idOf(cell)
    if (id === undefined || json?.cell_type !== 'code' || !(outputs instanceof SharedList)) return undefined
    if (author !== undefined) room.authors.show(author, { cell: id })
    return follow({ room, id, outputs, written: json.outputs })
  }

  function placeIn(current: Snapshot): number {
    const [at = -1] = rebase({ cells: [{ index }], touches: 'outputs' }, current, seen).place.cells
    return at
  }

  function write(to: Shown, { outputs, executionCount }: News): void {
    const cell = to.outputs.parent
    if (!(cell instanceof SharedMap)) return
    const next = outputs().map((output) => ({ ...output }))
    to.room.doc.transact(() => {
      writeOutputs(to.outputs, to.written, next)
      if (cell.get(EXECUTION_STATE) !== 'running') cell.set(EXECUTION_STATE, 'running')
      if (cell.get('execution_count') !== executionCount) cell.set('execution_count', executionCount)
    }, OWN)
    to.written = next
    onWrite()
  }

  function end(): void {
    isOver = true
    cancelShowing?.()
    shown?.leave()
    letGo()
  }

  function setIdle(): void {
    const cell = shown?.outputs.parent
    if (!shown?.room.isOpen() || !(cell instanceof SharedMap)) return
    shown.room.doc.transact(() => cell.set(EXECUTION_STATE, 'idle'), OWN)
  }

  function schedule(ms: number): void {
    cancelShowing ??= after(ms, () => {
      cancelShowing = undefined
      work = work.then(showNow).catch(() => {
        // A conflict or a lost connection: the writing at the end meets it again, and tells the caller.
      })
    })
  }

  return Object.freeze({
    show(outputs: () => readonly Output[], executionCount: number | null) {
      if (isOver) return
      news = { outputs, executionCount }
      schedule(shown ? SHOW_EVERY_MS : 0)
    },

    async finish(change: (draft: Notebook, index: number) => unknown, signal?: AbortSignal) {
      await work
      end()
      try {
        const room = await keeper.use(signal)
        onWrite()
        const edited = shown ? finishShown(room, shown, change) : finishUnseen(room, change)
        await room.confirm()
        return edited
      } finally {
        setIdle()
      }
    },

    abandon() {
      end()
      setIdle()
    },
  })

  function finishUnseen(room: LiveRoom, change: (draft: Notebook, index: number) => unknown) {
    return editRoom(room, {
      path,
      where: { cells: [{ index }], touches: 'outputs' },
      change: (draft, { cells: [at = index] }) => {
        change(draft, at)
        return at
      },
      seen,
      author,
    })
  }

  function finishShown(
    room: LiveRoom,
    { id, isDisturbed, room: shownIn }: Shown,
    change: (draft: Notebook, index: number) => unknown,
  ): Edited<number> {
    const current = room.reader.snapshot()
    const at = room.doc
      .getArray('cells')
      .toArray()
      .findIndex((cell) => idOf(cell) === id)
    const cell = current.notebook.cells[at]
    const undisturbed = cell ? withCell(current, at, withRunOf(cell, original)) : current
    // Without the cell this throws, and says what has become of it.
    const { merged } = rebase({ cells: [{ index }], touches: 'outputs' }, undisturbed, seen)
    if (cell && isDisturbed && shownIn === room) throw changedCell(index, original, cell)
    const edited = editRoom(room, {
      path,
      where: { touches: 'outputs' },
      change: (draft) => {
        change(draft, at)
        return at
      },
      author,
    })
    return { ...edited, before: undisturbed, merged }
  }
}

function follow(found: Omit<Shown, 'isDisturbed' | 'leave'>): Shown {
  const disturbed = (_events: unknown, { origin }: Transaction) => {
    if (origin !== OWN) shown.isDisturbed = true
  }
  const shown: Shown = {
    ...found,
    isDisturbed: false,
    leave: () => found.outputs.unobserveDeep(disturbed),
  }
  found.outputs.observeDeep(disturbed)
  return shown
}

/** The cell as it was before the run, as far as the run has changed it. */
function withRunOf(cell: Cell, before: Cell): Cell {
  if (cell.cell_type !== 'code' || before.cell_type !== 'code') return cell
  return { ...cell, outputs: before.outputs, execution_count: before.execution_count }
}

function withCell({ notebook, revision }: Snapshot, at: number, cell: Cell): Snapshot {
  return {
    notebook: { ...notebook, cells: notebook.cells.with(at, cell) },
    revision: `${revision} before the run`,
  }
}

function idOf(shared: unknown): string | undefined {
  const id = shared instanceof SharedMap ? shared.get('id') : undefined
  return typeof id === 'string' ? id : undefined
}
