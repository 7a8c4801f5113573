import type { NotebookDocument } from '../document/document.ts'
import type { NotebookKernel } from './notebook-kernel.ts'

/** A notebook in use, under the name that its caller chose. */
export interface ManagedNotebook {
  readonly name: string
  readonly path: string
  readonly document: NotebookDocument
  readonly kernel: NotebookKernel
}
