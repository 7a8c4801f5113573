import { ConfigError } from '@quire/kit/config/config-error'
import { resolveCommand } from '@quire/mcp/connection/resolve-command'

export interface JupyterCommand {
  readonly file: string
  readonly args: readonly string[]
}

const CANDIDATES = [
  ['jupyter-server', []],
  ['jupyter', ['server']],
  // Where Debian has it, for a PATH without it.
  ['/usr/bin/jupyter-server', []],
] as const

/** Throws where there is none, and says how to get one. */
export async function findJupyter(
  path: string | undefined,
  candidates: readonly (readonly [string, readonly string[]])[] = CANDIDATES,
): Promise<JupyterCommand> {
  for (const [command, args] of candidates) {
    // The next may be there.
    const file = await resolveCommand(command, { path, cwd: undefined }).catch(() => undefined)
    if (file !== undefined) return { file, args }
  }
  throw new ConfigError([
    {
      setting: '--with-jupyter',
      origin: `PATH=${path ?? ''}`,
      message:
        'there is no jupyter-server on this machine: install one ("pip install jupyter-server ipykernel", or "apt install jupyter-server python3-ipykernel"), or leave the flag out to use the embedded notebook server',
    },
  ])
}
