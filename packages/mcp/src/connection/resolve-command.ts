import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'

export interface CommandPlace {
  readonly path: string | undefined
  readonly cwd: string | undefined
}

/** The absolute path of the program, so that a missing one is named before anything is started. */
export async function resolveCommand(command: string, { path, cwd }: CommandPlace): Promise<string> {
  if (cwd !== undefined && !(await isDirectory(cwd))) {
    throw new Error(`the working folder "${cwd}" does not exist. Create it, or name another one`)
  }
  if (command.includes('/')) {
    const file = resolve(cwd ?? '.', command)
    if (await isExecutable(file)) return file
    throw new Error(`"${file}" does not exist or may not be executed. Correct "command"`)
  }
  for (const folder of (path ?? '').split(delimiter).filter(Boolean)) {
    const file = resolve(cwd ?? '.', folder, command)
    if (await isExecutable(file)) return file
  }
  throw new Error(`the command "${command}" was not found on PATH. Install it or give its full path`)
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

async function isDirectory(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory()
  } catch {
    return false
  }
}
