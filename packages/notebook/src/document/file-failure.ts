import { ToolError } from '../tool-error.ts'
import { quote } from './json.ts'

/** Says what a refusal to read a file means to somebody who works with notebooks. */
export function explainFailure(error: unknown, path: string): unknown {
  if (!(error instanceof ToolError)) return error
  switch (error.code) {
    case 'not_found':
      return new ToolError(
        'not_found',
        `Notebook ${quote(path)} was not found on the notebook server: it was deleted or renamed, or was never there. Look for it with list_files.`,
        { cause: error },
      )
    case 'invalid_argument':
      return new ToolError(
        'invalid_argument',
        `${quote(path)} cannot be opened as a notebook: ${error.message} Mend the file in an editor, or go back to a checkpoint of it in Jupyter.`,
        { cause: error },
      )
    default:
      return error
  }
}
