import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ConfigError } from '@quire/kit/config/config-error'
import type { ConfigOf } from '@quire/kit/config/settings'
import { CommandFailure } from '../../command-failure.ts'
import { configFrom } from '../../config.ts'
import { extensionSettings } from './extension-settings.ts'

const FILE = 'jupyter_server_config.py'
const BEGIN = '# >>> quire notebook extension >>>'
const END = '# <<< quire notebook extension <<<'
/** A file to itself: what another file says of all extensions at once would win over a line of ours beside it. */
const SWITCH = join('jupyter_server_config.d', 'quire_notebook.json')
const SWITCH_TEXT = `${JSON.stringify({ ServerApp: { jpserver_extensions: { quire_notebook: true } } }, null, 2)}\n`
const PYTHON_DEADLINE_MS = 10_000

/** Lets the Jupyter servers that read a folder load the extension, or no more. */
export async function runInstallExtension(
  flags: Record<string, unknown>,
  output: NodeJS.WritableStream,
): Promise<void> {
  const settings = configFrom(extensionSettings, flags)
  const folder = await folderFor(settings)
  const [file, enabling] = [join(folder, FILE), join(folder, SWITCH)]
  const before = await read(file)
  const rest = withoutBlock(before ?? '', file)
  if (settings.uninstall) {
    const isThere = rest !== (before ?? '') || existsSync(enabling)
    if (existsSync(enabling)) await replace(enabling, '')
    // Others may have files there: then it stays.
    await rmdir(dirname(enabling)).catch(() => undefined)
    if (rest !== (before ?? '')) await replace(file, rest)
    output.write(
      isThere
        ? `The extension is taken out of ${file} and ${enabling}. Jupyter servers that run have it until they are started again.\n`
        : `There is nothing of Quire in ${file}.\n`,
    )
    return
  }
  await replace(file, `${rest}${rest === '' || rest.endsWith('\n') ? '' : '\n'}${block()}`)
  await replace(enabling, SWITCH_TEXT)
  output.write(`The extension is ${rest === (before ?? '') ? 'written into' : 'renewed in'} ${file}
(where Jupyter finds it: ${extensionFolder()}, and what it starts: ${process.execPath})
and ${enabling} (that it is loaded).
Start the Jupyter server again: the notebook tools are then at its address with /mcp behind it, such as http://localhost:8888/mcp, for clients that send its token
("Authorization: Bearer ..."). To undo it: quire notebook install-extension ${placeFlag(settings)}--uninstall
`)
}

/** Python that any version reads; what JSON writes for a string is also one of Python's. */
function block(): string {
  const launcher = fileURLToPath(new URL('../../../bin/quire.mjs', import.meta.url))
  return `${BEGIN}
# Written by "quire notebook install-extension", which takes it out again with --uninstall.
import sys
sys.path.append(${JSON.stringify(extensionFolder())})
c.QuireNotebook.command = ${JSON.stringify([process.execPath, launcher])}
${END}
`
}

function extensionFolder(): string {
  const settings = fileURLToPath(import.meta.resolve('@quire/notebook/settings'))
  const folder = join(dirname(dirname(settings)), 'extension')
  if (existsSync(join(folder, 'quire_notebook', '__init__.py'))) return folder
  throw new CommandFailure(`The Python part of the extension is missing: it should be in ${folder}.`)
}

async function folderFor(settings: ConfigOf<typeof extensionSettings>): Promise<string> {
  const { user, userDir, sysPrefix, configDir } = settings
  if ([user, sysPrefix, configDir !== undefined].filter(Boolean).length > 1) {
    const message = 'say only one of the three'
    throw new ConfigError([
      { setting: '--user, --sys-prefix and --config-dir', origin: 'several given', message },
    ])
  }
  if (configDir !== undefined) return resolve(configDir)
  return sysPrefix ? join(await pythonPrefix(), 'etc', 'jupyter') : resolve(userDir)
}

async function pythonPrefix(): Promise<string> {
  try {
    const run = promisify(execFile)
    const { stdout } = await run('python3', ['-c', 'import sys; print(sys.prefix)'], {
      timeout: PYTHON_DEADLINE_MS,
    })
    return stdout.trim()
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error)
    throw new CommandFailure(
      `The Python environment cannot be found: "python3" does not say where it is (${reason}). Name the folder by --config-dir.`,
      { cause: error },
    )
  }
}

function placeFlag({ sysPrefix, configDir }: ConfigOf<typeof extensionSettings>): string {
  if (configDir !== undefined) return `--config-dir ${quoted(resolve(configDir))} `
  return sysPrefix ? '--sys-prefix ' : ''
}

/** As a shell reads it. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw failure(file, error)
  }
}

function withoutBlock(text: string, file: string): string {
  const begin = text.indexOf(BEGIN)
  if (begin === -1) return text
  const end = text.indexOf(END, begin)
  if (end === -1)
    throw new CommandFailure(
      `${file} has the line "${BEGIN}" and not the one that ends the block: take it out by hand, then try again.`,
    )
  return text.slice(0, begin) + text.slice(end + END.length).replace(/^\r?\n/, '')
}

/** Whole or not at all: half a configuration would keep Jupyter from starting. A file that would be empty goes. */
async function replace(file: string, text: string): Promise<void> {
  try {
    if (text === '') return await rm(file)
    await mkdir(dirname(file), { recursive: true })
    const mode = existsSync(file) ? (await stat(file)).mode & 0o777 : 0o644
    const next = `${file}.quire-new`
    await writeFile(next, text, { mode })
    await rename(next, file)
  } catch (error) {
    throw failure(file, error)
  }
}

function failure(file: string, error: unknown): CommandFailure {
  const reason = error instanceof Error ? error.message : String(error)
  return new CommandFailure(
    `${file} cannot be changed (${reason}). Name a folder that you may write to by --config-dir.`,
    { cause: error },
  )
}
