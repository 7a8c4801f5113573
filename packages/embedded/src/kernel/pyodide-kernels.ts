import { realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import type { Logger } from '@quire/kit/log'
import { ignoreDebuggerSignal } from './debugger-signal.ts'
import type { Kernel, KernelStart, Kernels } from './kernel.ts'
import { startKernelProcess } from './kernel-process.ts'
import { toKernelFolder } from './notebook-folder.ts'
import { toPermissionFlags } from './permission-flags.ts'
import { createPyodideKernel } from './pyodide-kernel.ts'
import { findWorkingFolder } from './working-folder.ts'

export interface PyodideKernelsOptions {
  readonly logger: Logger
  /** The Node.js that runs the kernels, 24 or newer; our own by default. */
  readonly nodePath?: string | undefined
}

const SPEC = Object.freeze({
  name: 'python3',
  displayName: 'Python 3 (WebAssembly)',
  language: 'python',
})

/** Kernels that need no Python on this machine: CPython in WebAssembly, each in a process of its own that may touch its notebook folder alone. */
export function createPyodideKernels(options: PyodideKernelsOptions): Kernels {
  const { logger, nodePath = process.execPath } = options

  function start({ specName, folder, path }: KernelStart): Kernel {
    if (specName !== SPEC.name) throw new Error(`there is no kernel named "${specName}": use "${SPEC.name}"`)
    ignoreDebuggerSignal()
    return createPyodideKernel({
      logger,
      async startProcess(events) {
        const notebookFolder = await toKernelFolder(folder)
        const { pyodideFolder, programFolder, program } = await findProgram()
        const workingFolder = await findWorkingFolder(notebookFolder, path)
        const flags = toPermissionFlags({ pyodideFolder, programFolder, notebookFolder })
        return startKernelProcess({
          nodePath,
          args: [...flags, program, pyodideFolder, notebookFolder, workingFolder],
          ...events,
        })
      },
    })
  }

  return Object.freeze({ specs: Object.freeze([SPEC]), start })
}

async function findProgram() {
  const pyodideFolder = await realpath(
    dirname(createRequire(import.meta.url).resolve('pyodide/package.json')),
  )
  const programFolder = await realpath(join(import.meta.dirname, 'program'))
  // As this file itself: TypeScript in the repository, JavaScript where it is installed.
  const program = join(programFolder, `program.m${extname(import.meta.filename).slice(1)}`)
  return { pyodideFolder, programFolder, program }
}
