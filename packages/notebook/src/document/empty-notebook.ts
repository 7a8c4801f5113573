import type { Notebook } from './nbformat.ts'

export interface EmptyNotebookOptions {
  /** The kernel that Jupyter starts for it. */
  readonly kernelspec?: { readonly name: string; readonly displayName: string } | undefined
  readonly language?: string | undefined
}

export function emptyNotebook({ kernelspec, language }: EmptyNotebookOptions = {}): Notebook {
  return {
    cells: [],
    metadata: {
      ...(kernelspec && {
        kernelspec: {
          name: kernelspec.name,
          display_name: kernelspec.displayName,
          ...(language !== undefined && { language }),
        },
      }),
      ...(language !== undefined && { language_info: { name: language } }),
    },
    nbformat: 4,
    nbformat_minor: 5,
  }
}
