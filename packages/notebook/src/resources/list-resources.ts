import type { Resource } from '@modelcontextprotocol/server'
import type { View } from '../workspace/view.ts'
import { formatNotebookUri } from './notebook-uri.ts'
import { NOTEBOOK_TYPE } from './resource-templates.ts'

/** The notebooks in use. What is inside them is reached by the templates. */
export function listResources(view: View): Resource[] {
  return view.workspace.all().map(({ name, path }) => ({
    uri: formatNotebookUri({ kind: 'notebook', name }),
    name,
    description: `The notebook ${path}`,
    mimeType: NOTEBOOK_TYPE,
  }))
}
