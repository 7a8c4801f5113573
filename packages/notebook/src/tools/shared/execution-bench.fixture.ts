import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Jupyter, startJupyter } from '@quire/testbed/jupyter'
import type { NotebookConfig } from '../../config.ts'
import { jupyterApi, type KernelAnswer } from '../../fixtures/jupyter-api.ts'
import { readNotebookFile, type TestCell, writeNotebook } from '../../fixtures/notebook-files.ts'
import { startToolClient, type ToolBench } from '../../fixtures/tool-client.ts'

const run = promisify(execFile)

/** A real server with one kernel that all tests of a file share, because starting one takes longer than most of them. */
export interface ExecutionBench {
  readonly jupyter: Jupyter
  readonly bench: ToolBench
  readonly kernelId: string
  /** Writes a notebook, opens it under the name of its path and attaches it to the shared kernel. */
  open(path: string, cells: readonly TestCell[], minor?: number): Promise<void>
  stop(): Promise<void>
}

export async function startExecutionBench(config?: Partial<NotebookConfig>): Promise<ExecutionBench> {
  const jupyter = await startJupyter()
  const bench = await startToolClient({ jupyter, ...(config && { config }) })
  const { id: kernelId } = await jupyterApi<KernelAnswer>(jupyter, 'POST', 'kernels', {})
  return {
    jupyter,
    bench,
    kernelId,
    async open(path, cells, minor) {
      writeNotebook(jupyter.root, path, cells, minor)
      const opened = { notebook_name: path, notebook_path: path, kernel_id: kernelId }
      const reply = await bench.call('use_notebook', opened)
      if (reply.isError) throw new Error(reply.text)
    },
    async stop() {
      await bench.close()
      await jupyter.stop()
    },
  }
}

/** What each code cell of a file has printed, and the types of its other outputs. */
export function printedIn(root: string, path: string): string[] {
  return readNotebookFile(root, path).cells.flatMap((cell) =>
    cell.cell_type === 'code'
      ? [
          cell.outputs
            .map((output) => (output.output_type === 'stream' ? output.text : output.output_type))
            .join(''),
        ]
      : [],
  )
}

/** What the reference implementation of the format says of all notebooks in a folder, in one line each; empty when they are valid. */
export function nbformatFaults(root: string): Promise<string> {
  return nbformatFault(root, '*.ipynb')
}

export async function nbformatFault(root: string, path: string): Promise<string> {
  const args = ['-W', 'error', '-c', VALIDATE, root, path]
  const { stdout } = await run('/usr/bin/python3', args, { timeout: 30_000 })
  return stdout
}

const VALIDATE = `
import nbformat, pathlib, sys
paths = sorted(pathlib.Path(sys.argv[1]).glob(sys.argv[2]))
for path in paths:
    try:
        nbformat.validate(nbformat.read(path, as_version=nbformat.NO_CONVERT))
    except Exception as fault:
        print(path.name, repr(fault)[:300])
if not paths:
    print('there is no notebook')
`
