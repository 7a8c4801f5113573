import type { ResourceTemplateType } from '@modelcontextprotocol/server'

export const NOTEBOOK_TYPE = 'application/x-ipynb+json'

/** What can be read by filling in an address. */
export const resourceTemplates: readonly ResourceTemplateType[] = Object.freeze([
  {
    name: 'notebook',
    title: 'Notebook',
    uriTemplate: 'notebook://{name}',
    description: 'A notebook in use, as JSON.',
    mimeType: NOTEBOOK_TYPE,
  },
  {
    name: 'cell',
    title: 'Cell',
    uriTemplate: 'notebook://{name}/cells/{id}',
    description:
      'The source of a cell. In notebooks without cell ids, @ and the index take the place of the id.',
  },
  {
    name: 'output',
    title: 'Cell output',
    uriTemplate: 'notebook://{name}/cells/{id}/outputs/{index}',
    description: 'One output of a cell, whole, in every representation that it has.',
  },
  {
    name: 'kept-output',
    title: 'Output of executed code',
    uriTemplate: 'notebook-output://{id}/{index}',
    description: 'One output of execute_code that a reply had no room for. The newest are kept.',
  },
  {
    name: 'file',
    title: 'File',
    uriTemplate: 'jupyter://files/{+path}',
    description: 'A file of the notebook server, or the list of what is in a folder.',
  },
  {
    name: 'kernel',
    title: 'Kernel',
    uriTemplate: 'jupyter://kernels/{id}',
    description: 'A running kernel: its kind, its state and its connections.',
    mimeType: 'application/json',
  },
])
