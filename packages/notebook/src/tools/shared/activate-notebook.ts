import type { Snapshot } from '../../document/document.ts'
import { ToolError } from '../../tool-error.ts'
import type { ManagedNotebook } from '../../workspace/managed-notebook.ts'
import { openNotebook } from '../../workspace/open-notebook.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { ToolContext } from '../tool-context.ts'
import { checkKernel, chooseKernel, type KernelWish } from './choose-kernel.ts'
import { createNotebookFile } from './create-notebook-file.ts'

export interface NotebookWish extends KernelWish {
  readonly notebook_name: string
  readonly notebook_path: string
  readonly mode: 'connect' | 'create'
}

export interface Activated {
  readonly notebook: ManagedNotebook
  readonly snapshot: Snapshot
  readonly notes: readonly string[]
}

/** All that can be refused is refused before anything is made or changed. */
export async function activate(wish: NotebookWish, context: ToolContext): Promise<Activated> {
  const { workspace } = context.view
  const path = checkPath(context.fence.check(wish.notebook_path))
  refuseWhenReadOnly(wish, context)
  await checkKernel(wish, findKnown(path, wish, workspace), context)
  if (wish.mode === 'create') await createNotebookFile(path, wish.kernel_name ?? undefined, context)
  const known = findKnown(path, wish, workspace)
  return known ? reuse(known, wish, context) : open(path, wish, workspace, context)
}

async function reuse(
  notebook: ManagedNotebook,
  wish: NotebookWish,
  context: ToolContext,
): Promise<Activated> {
  const before = context.view.current()
  const activated = await makeCurrent(notebook, wish, context)
  const note = describeReuse(notebook.name, before, context.view.current())
  return { ...activated, notes: [note, ...activated.notes] }
}

/** The name is taken before anything is waited for: of two calls at once the second uses what the first has opened. */
async function open(
  path: string,
  wish: NotebookWish,
  workspace: Workspace,
  context: ToolContext,
): Promise<Activated> {
  const { servers, hooks } = context
  const name = wish.notebook_name
  const notebook = openNotebook(servers, hooks, { name, path, kernelName: wish.kernel_name ?? undefined })
  workspace.put(notebook)
  try {
    return await makeCurrent(notebook, wish, context)
  } catch (error) {
    if (workspace.find(name) === notebook) await workspace.remove(name)
    throw error
  }
}

async function makeCurrent(
  notebook: ManagedNotebook,
  wish: NotebookWish,
  context: ToolContext,
): Promise<Activated> {
  const { view } = context
  const snapshot = await readExisting(notebook, context)
  const notes = await chooseKernel(notebook.kernel, wish, context)
  const documentNote = context.servers.documentNote()
  if (documentNote !== undefined) notes.push(documentNote)
  if (view.workspace.find(notebook.name) !== notebook) {
    throw new ToolError(
      'conflict',
      `Notebook '${notebook.name}' was let go while it was opened, by another call or because another notebook server was connected. Look at list_notebooks, and try again.`,
    )
  }
  view.makeCurrent(notebook.name)
  view.showList(notebook, snapshot, [])
  return { notebook, snapshot, notes }
}

async function readExisting(
  { path, document }: ManagedNotebook,
  { servers, signal }: ToolContext,
): Promise<Snapshot> {
  try {
    return await document.read(signal)
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'not_found') throw error
    // Where there is not even a root, it is no Jupyter server, or one with another prefix: that is what must be told.
    await servers.contents.list('', { signal })
    throw new ToolError(
      'not_found',
      `Notebook '${path}' was not found on the notebook server. Paths are relative to its root folder. Check the path with list_files, or create it with mode create.`,
      { cause: error },
    )
  }
}

function checkPath(path: string): string {
  if (/[^/]\.ipynb$/.test(path)) return path
  throw new ToolError(
    'invalid_argument',
    `'${path}' is not the path of a notebook: notebook_path must end in .ipynb.`,
  )
}

function refuseWhenReadOnly(wish: NotebookWish, { config }: ToolContext): void {
  if (!config.readOnly) return
  if (wish.mode === 'connect' && !wish.kernel_id && !wish.kernel_name) return
  throw new ToolError(
    'forbidden',
    'This notebook service is read-only: notebooks can be opened with mode connect, and without kernel_id and kernel_name.',
  )
}

/** A name stands for one path until it is let go. */
function findKnown(
  path: string,
  { notebook_name: name, mode }: NotebookWish,
  workspace: Workspace,
): ManagedNotebook | undefined {
  const known = workspace.find(name)
  if (!known || (known.path === path && mode === 'connect')) return known
  throw new ToolError('conflict', describeTakenName(known, path, mode))
}

function describeTakenName({ name, path: known }: ManagedNotebook, path: string, mode: string): string {
  if (known === path) {
    return `Notebook '${name}' already exists at '${path}' and is in use. Do not create it again: use it, or connect to it.`
  }
  return mode === 'create'
    ? `The name '${name}' is already used for the notebook '${known}'. Choose another name, or let that one go with unuse_notebook.`
    : `Notebook '${name}' is in use with the path '${known}', not '${path}'. Did you mean '${known}'? Otherwise choose another name, or let it go with unuse_notebook first.`
}

function describeReuse(name: string, before: string | undefined, now: string | undefined): string {
  if (before === name || now !== name) return `Notebook '${name}' is already connected.`
  const other = before === undefined ? '' : ` and deactivating '${before}'`
  return `Reactivating notebook '${name}'${other}.`
}
