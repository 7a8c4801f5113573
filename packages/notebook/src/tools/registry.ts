import { changeCellType } from './change-cell-type.ts'
import { clearCellOutput } from './clear-cell-output.ts'
import { connectToJupyter } from './connect-to-jupyter.ts'
import { deleteCell } from './delete-cell.ts'
import { deleteFile } from './delete-file.ts'
import { editCellSource } from './edit-cell-source.ts'
import { executeCell } from './execute-cell.ts'
import { executeCode } from './execute-code.ts'
import { insertCell } from './insert-cell.ts'
import { insertExecuteCodeCell } from './insert-execute-code-cell.ts'
import { inspectVariables } from './inspect-variables.ts'
import { interruptKernel } from './interrupt-kernel.ts'
import { listFiles } from './list-files.ts'
import { listKernels } from './list-kernels.ts'
import { listKernelspecs } from './list-kernelspecs.ts'
import { listNotebooks } from './list-notebooks.ts'
import { mergeCells } from './merge-cells.ts'
import { moveCell } from './move-cell.ts'
import { overwriteCellSource } from './overwrite-cell-source.ts'
import { readCell } from './read-cell.ts'
import { readNotebook } from './read-notebook.ts'
import { renameFile } from './rename-file.ts'
import { restartNotebook } from './restart-notebook.ts'
import { runCells } from './run-cells.ts'
import { saveNotebook } from './save-notebook.ts'
import { searchNotebook } from './search-notebook.ts'
import { splitCell } from './split-cell.ts'
import type { Tool } from './tool.ts'
import { unuseNotebook } from './unuse-notebook.ts'
import { useNotebook } from './use-notebook.ts'

/** All tools, by name. */
export const allTools: readonly Tool[] = Object.freeze(
  [
    changeCellType,
    clearCellOutput,
    connectToJupyter,
    deleteCell,
    deleteFile,
    editCellSource,
    executeCell,
    executeCode,
    insertCell,
    insertExecuteCodeCell,
    inspectVariables,
    interruptKernel,
    listFiles,
    listKernels,
    listKernelspecs,
    listNotebooks,
    mergeCells,
    moveCell,
    overwriteCellSource,
    readCell,
    readNotebook,
    renameFile,
    restartNotebook,
    runCells,
    saveNotebook,
    searchNotebook,
    splitCell,
    unuseNotebook,
    useNotebook,
  ].toSorted((left, right) => (left.name < right.name ? -1 : 1)),
)
