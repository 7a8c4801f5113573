import { posix, win32 } from 'node:path'

/** Where to look. A folder tree of a test is one as much as the real machine. */
export interface Machine {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Undefined where there is no such file. */
  readFile(path: string): string | undefined
}

export function joinOn({ platform }: Machine, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts)
}

/** Where applications keep the user's settings. */
export function settingsFolder(machine: Machine): string {
  const { home, platform, environment = {} } = machine
  if (platform === 'win32') return environment.APPDATA || joinOn(machine, home, 'AppData', 'Roaming')
  if (platform === 'darwin') return joinOn(machine, home, 'Library', 'Application Support')
  return xdgFolder(machine)
}

/** Where those keep them that do so on every Unix alike. */
export function xdgFolder(machine: Machine): string {
  return machine.environment?.XDG_CONFIG_HOME || joinOn(machine, machine.home, '.config')
}
