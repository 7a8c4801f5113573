import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server'
import { citePrompt } from './prompts/jupyter-cite.ts'
import { ToolError } from './tool-error.ts'
import { parentOf } from './tools/shared/server-path.ts'
import type { ToolContext } from './tools/tool-context.ts'
import type { View } from './workspace/view.ts'

export type CompletionContext = Pick<ToolContext, 'view' | 'servers' | 'fence' | 'signal'>

/** The protocol allows no more. */
const MOST_VALUES = 100

/** What may stand in an argument of the prompt, or in a variable of a resource template. */
export async function complete(
  { ref, argument, context: given }: CompleteRequestParams,
  context: CompletionContext,
): Promise<CompleteResult> {
  const { name, value } = argument
  const place = ref.type === 'ref/prompt' ? ref.name : ref.uri
  const values = await candidates(place, name, value, given?.arguments ?? {}, context)
  const fitting = [...new Set(values)].filter((candidate) => candidate.startsWith(value)).sort()
  return {
    completion: {
      values: fitting.slice(0, MOST_VALUES),
      total: fitting.length,
      hasMore: fitting.length > MOST_VALUES,
    },
  }
}

async function candidates(
  place: string,
  name: string,
  value: string,
  given: Readonly<Record<string, string>>,
  context: CompletionContext,
): Promise<readonly string[]> {
  const { view, servers, signal } = context
  if (place === citePrompt.definition.name) return name === 'notebook_name' ? namesIn(view) : []
  if (place.startsWith('notebook://')) {
    if (name === 'name') return namesIn(view)
    if (name === 'id') return cellIds(given.name, context)
    return name === 'index' ? outputIndices(given.name, given.id, context) : []
  }
  if (place.startsWith('jupyter://kernels/') && name === 'id') {
    return (await servers.kernels.list(signal)).map(({ id }) => id)
  }
  return place.startsWith('jupyter://files/') && name === 'path' ? pathsFrom(value, context) : []
}

function namesIn(view: View): readonly string[] {
  return view.workspace.all().map(({ name }) => name)
}

async function cellIds(name: string | undefined, context: CompletionContext): Promise<readonly string[]> {
  return (await cellsOf(name, context)).map((cell, index) => cell.id ?? `@${index}`)
}

async function outputIndices(
  name: string | undefined,
  id: string | undefined,
  context: CompletionContext,
): Promise<readonly string[]> {
  const cell = (await cellsOf(name, context)).find((candidate, index) => (candidate.id ?? `@${index}`) === id)
  return cell?.cell_type === 'code' ? cell.outputs.map((_, index) => String(index)) : []
}

async function cellsOf(name: string | undefined, { view, signal }: CompletionContext) {
  const wanted = name ?? view.current()
  const notebook = wanted === undefined ? undefined : view.workspace.find(wanted)
  return notebook ? (await notebook.document.read(signal)).notebook.cells : []
}

/** What is in the folder that was typed so far. Folders end in a slash, so that one can go on from there. */
async function pathsFrom(
  value: string,
  { servers, fence, signal }: CompletionContext,
): Promise<readonly string[]> {
  const folder = parentOf(value)
  try {
    const entries = await servers.contents.list(fence.checkFolder(folder), { signal })
    return entries
      .filter(({ path }) => fence.isVisible(path))
      .map(({ path, type }) => (type === 'directory' ? `${path}/` : path))
  } catch (error) {
    // Half a path is the usual thing here: there is nothing to offer, and nothing to complain about.
    if (error instanceof ToolError && NOTHING_THERE.has(error.code)) return []
    throw error
  }
}

const NOTHING_THERE: ReadonlySet<string> = new Set(['not_found', 'invalid_argument', 'forbidden'])
