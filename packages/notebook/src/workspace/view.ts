import type { Seen, Snapshot } from '../document/document.ts'
import { type OwnEdit, seeCells, seeEdit, seeList } from '../document/seen.ts'
import { ToolError } from '../tool-error.ts'
import type { ManagedNotebook } from './managed-notebook.ts'
import type { Workspace } from './workspace.ts'

/**
 * What one client works with: the notebooks of its caller, which of them is its current one, and what it has last seen of each.
 * Indices that a client sends count in what it has seen.
 */
export interface View {
  readonly workspace: Workspace
  /** The line of work that it is for; undefined where clients name none. */
  readonly thread: string | undefined
  /** The notebook of that name, or without a name the current one. Throws when there is no such notebook, or no telling which. */
  notebook(name?: string | null): ManagedNotebook
  /** The name of the notebook that a call without a name means; undefined when it would be refused. */
  current(): string | undefined
  makeCurrent(name: string): void
  /** The notebooks that this client may mean without naming them: in a session those that it has opened itself. */
  own(): readonly ManagedNotebook[]
  seen(notebook: ManagedNotebook): Seen | undefined
  /** The client was shown these cells whole. */
  showCells(notebook: ManagedNotebook, snapshot: Snapshot, cells: Iterable<number>): void
  /** The client was shown a list of cells with their indices, and some of them whole. */
  showList(notebook: ManagedNotebook, snapshot: Snapshot, whole: Iterable<number>): void
  /** The client has edited it. Answers whether others had changed it before, since the client last looked. */
  showEdit(notebook: ManagedNotebook, edit: OwnEdit): boolean
  /** What was known of one notebook is known of the other: its file was renamed. */
  carryOver(from: ManagedNotebook, to: ManagedNotebook): void
}

/** The notebook that is open from the start is everybody's. */
export const FIRST_NAME = 'default'

/**
 * `hasPointer`: the client has a session in which a current notebook can be remembered. Without sessions several clients may share a
 * caller's name, so that a call without a name works only while there is no choice.
 */
export function createView(workspaceNow: () => Workspace, hasPointer: boolean, thread?: string): View {
  const seen = new WeakMap<ManagedNotebook, Seen>()
  const opened = new Set<string>([FIRST_NAME])
  let pointer: string | undefined

  function own(): readonly ManagedNotebook[] {
    const all = workspaceNow().all()
    return hasPointer ? all.filter(({ name }) => opened.has(name)) : all
  }

  function current(): string | undefined {
    if (pointer !== undefined && workspaceNow().find(pointer)) return pointer
    const [first, ...others] = own()
    return others.length === 0 ? first?.name : undefined
  }

  return Object.freeze({
    get workspace() {
      return workspaceNow()
    },
    thread,
    current,
    own,
    makeCurrent(name: string) {
      const { find } = workspaceNow()
      for (const known of opened) if (known !== FIRST_NAME && !find(known)) opened.delete(known)
      opened.add(name)
      if (hasPointer) pointer = name
    },
    notebook(name?: string | null) {
      const workspace = workspaceNow()
      const wanted = name ?? current()
      const found = wanted === undefined ? undefined : workspace.find(wanted)
      if (found) return found
      const names = workspace.all().map((notebook) => `'${notebook.name}'`)
      const known = names.length > 0 ? `In use: ${names.join(', ')}.` : 'No notebook is in use yet.'
      if (wanted !== undefined) {
        throw new ToolError(
          'not_found',
          `Notebook '${wanted}' is not connected. ${known} Open it with use_notebook first.`,
        )
      }
      throw new ToolError(
        'invalid_argument',
        names.length > 0
          ? `Which notebook is meant? Give notebook_name. ${known}`
          : `${known} Open one with use_notebook first.`,
      )
    },
    seen: (notebook: ManagedNotebook) => seen.get(notebook),
    showCells(notebook: ManagedNotebook, snapshot: Snapshot, cells: Iterable<number>) {
      seen.set(notebook, seeCells(seen.get(notebook), snapshot, cells))
    },
    showList(notebook: ManagedNotebook, snapshot: Snapshot, whole: Iterable<number>) {
      seen.set(notebook, seeList(seen.get(notebook), snapshot, whole))
    },
    showEdit(notebook: ManagedNotebook, edit: OwnEdit) {
      const { seen: known, isNews } = seeEdit(seen.get(notebook), edit)
      seen.set(notebook, known)
      return isNews
    },
    carryOver(from: ManagedNotebook, to: ManagedNotebook) {
      const known = seen.get(from)
      if (known) seen.set(to, known)
    },
  })
}
