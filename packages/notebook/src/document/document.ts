import type { CellTarget } from './cell-target.ts'
import type { Notebook, Output } from './nbformat.ts'

/** A notebook as it was at one moment. */
export interface Snapshot {
  readonly notebook: Notebook
  /** Changes whenever the notebook does. */
  readonly revision: string
}

/** What a client knows of a notebook: as a whole it may never have been like that. */
export interface Seen extends Snapshot {
  /** Others have added, deleted or moved cells since the client was given indices: they are worth nothing until it lists the cells again. */
  readonly indicesAreStale?: boolean
}

/** Where an edit happens, in the numbering of what the caller has seen. */
export interface EditPlace {
  /** The cells that are read or changed. */
  readonly cells?: readonly CellTarget[]
  /** The gap that cells are put into: 0 is before the first cell, -1 behind the last. */
  readonly gap?: number
  /** A change of outputs alone does not mind that somebody edits the source meanwhile, and the other way round. */
  readonly touches: 'source' | 'outputs' | 'structure'
}

/** The same places in the notebook that the change is applied to. */
export interface Place {
  readonly cells: readonly number[]
  readonly gap: number
}

export interface EditOptions {
  /** What the caller saw when it chose the place; absent means that indices count in the notebook as it is now. */
  readonly seen?: Seen | undefined
  readonly signal?: AbortSignal | undefined
  /** Who edits, by the name that others in a live document are to see; absent: nobody is shown. */
  readonly author?: string | undefined
}

export interface Edited<Result> {
  readonly result: Result
  /** What the change was applied to. */
  readonly before: Snapshot
  /** After the edit. */
  readonly snapshot: Snapshot
  /** Somebody else had changed the notebook elsewhere since the caller saw it. */
  readonly merged: boolean
}

/** An execution that can be watched in the notebook while it lasts. */
export interface ShownRun {
  /** What there is by now. To be called whenever that changes; it is shown a few times a second. */
  show(outputs: () => readonly Output[], executionCount: number | null): void
  /** Writes what came of it. Answers as if the notebook had been left alone during the run. */
  finish(change: (draft: Notebook, index: number) => unknown, signal?: AbortSignal): Promise<Edited<number>>
  /** Shows nothing more. */
  abandon(): void
}

/**
 * One open notebook. There are two back ends: the file behind the contents API, and the live document of a server with collaboration.
 * Nothing that somebody else wrote is ever lost: an edit whose place has changed since it was seen is refused.
 */
export interface NotebookDocument {
  readonly path: string
  /** Known for certain after the first reading. */
  readonly backend: 'file' | 'live'
  read(signal?: AbortSignal): Promise<Snapshot>
  /** `change` works on a copy and may throw to leave everything as it is; it must be pure, for it may be called again on a newer state. */
  edit<Result>(
    where: EditPlace,
    change: (draft: Notebook, place: Place) => Result,
    options?: EditOptions,
  ): Promise<Edited<Result>>
  /** Where others can watch: shows the outputs of the cell, by its index in what was seen, while it runs. */
  readonly showRun?: ((index: number, seen: Snapshot, author?: string) => ShownRun) | undefined
  /** Makes sure that what was edited is in the file. */
  save(signal?: AbortSignal): Promise<Snapshot>
  /** Calls back after a change by anybody, until the returned function is called. Changes close together are told once. */
  watch(listener: (snapshot: Snapshot) => void): () => void
  close(): Promise<void>
}
