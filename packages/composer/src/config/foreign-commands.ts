import { isAbsolute } from 'node:path'
import { commandsOf, everyServer, type ServerCommand } from './commands.ts'
import type { ComposerConfig } from './config.ts'

export interface Known {
  /** Of the file, whose author may run what they like. */
  readonly present: ComposerConfig
  /** Programs that the API may bring: a bare name, or an absolute path. */
  readonly allowed: readonly string[]
}

/** Something that the file on disk does not run, import or write. */
export interface Foreign {
  /** Absent: the composer itself. */
  readonly server?: string
  readonly message: string
}

/**
 * What a configuration that came over the API would run, import or write that the file on disk does not.
 * A command counts as known only with its arguments, environment and folder, for each of them can turn it into another.
 */
export function foreignCommands(next: ComposerConfig, { present, allowed }: Known): readonly Foreign[] {
  const known = new Set(commandsOf(present).map(fingerprint))
  const commands = commandsOf(next)
    .filter((command) => !known.has(fingerprint(command)))
    .flatMap((command): Foreign[] => {
      const message = reasonAgainst(command, allowed)
      return message === undefined ? [] : [{ server: command.server, message }]
    })
  return [...commands, ...foreignModules(next, present), ...foreignFiles(next, present)]
}

export function toSentence({ server, message }: Foreign): string {
  return server === undefined ? message : `Server "${server}" ${message}`
}

/** Whether one command, that came over the API, may be run: it stands in the file just so, or its program is allowed. */
export function isKnownCommand(command: ServerCommand, { present, allowed }: Known): boolean {
  const isPresent = commandsOf(present).some((known) => fingerprint(known) === fingerprint(command))
  return isPresent || reasonAgainst(command, allowed) === undefined
}

const ASK = 'Whoever runs the composer can write it into the file by hand, on its machine, and reload it.'

function reasonAgainst({ command, env }: ServerCommand, allowed: readonly string[]): string | undefined {
  const [program, ...args] = command
  const isName = !program.includes('/') && !program.includes('\\')
  if (!allowed.includes(program) || !(isName || isAbsolute(program)))
    return `runs a command that is not in the configuration file and whose program is not allowed over the API. ${ASK} Or they allow such programs with --allow-command.`
  if (args.some((argument) => isCode(argument, program)))
    return `hands code to its program in the arguments. ${ASK}`
  const variable = Object.keys(env).find((name) => STEERING.test(name))
  return variable === undefined ? undefined : `sets ${variable}, which decides what its program loads. ${ASK}`
}

/**
 * `-c`, `-e`, `-p` alone, in a bundle such as `-lc` or with the code behind them; `-r` and `-i`; their long names; files that bring options;
 * a debugger's door; a word `eval`; modules written as an address.
 */
const CODE =
  /^-[A-Za-z]{0,3}[cepEP]|^-[ri]|^-[A-Za-z][ri]$|^--(?:eval|print|exec|execute|command|call|code|script|run|require|import|preload|loader|experimental-loader|interactive|env-file|env-file-if-exists|experimental-config-file|experimental-default-config-file|snapshot-blob|openssl-config|node-options)(?:=|$)|^--(?:inspect|debug)(?:[-=]|$)|^eval$|(?:^|=)(?:data|javascript):/
/** Keeps the input open, and is how a server in a container is started. */
const CONTAINER_INPUT = /^(?:-i|-it|-ti|--interactive)$/
const CONTAINERS = /^(?:docker|podman|nerdctl)(?:\.exe)?$/
/** Of these a module is a program: `python -m http.server`. */
const WITH_MODULES = /^(?:py|python|pypy|perl)[\d.]*w?(?:\.exe)?$/i
const MODULE = /^-[A-Za-z]{0,8}[mM]/

function isCode(argument: string, program: string): boolean {
  const name = program.split(/[/\\]/).at(-1) ?? ''
  if (CONTAINERS.test(name) && CONTAINER_INPUT.test(argument)) return false
  if (WITH_MODULES.test(name) && MODULE.test(argument)) return true
  // Node takes `--env_file` for `--env-file`.
  return CODE.test(argument.startsWith('--') ? argument.replaceAll('_', '-') : argument)
}

/** Variables by which linkers, shells, interpreters and package managers are told to load or run something else. */
const STEERING =
  /^(?!(?:NODE_ENV|NODE_NO_WARNINGS|PYTHONUNBUFFERED|PYTHONIOENCODING|PYTHONDONTWRITEBYTECODE)$)(?:PATH|HOME|SHELL|ENV|BASH_.*|SHELLOPTS|IFS|PS4|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|BROWSER|LD_.*|DYLD_.*|GCONV_PATH|NODE_.*|NPM_.*|YARN_.*|PNPM_.*|BUN_.*|DENO_.*|TS_NODE_.*|PYTHON.*|PIP_.*|UV_.*|VIRTUAL_ENV|CONDA_.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|LUA_.*|PHP.*|JAVA_.*|_JAVA_.*|JDK_.*|CLASSPATH|DOTNET_.*|CORECLR_.*|GIT_.*|SSH_.*|DOCKER_.*|XDG_.*|ELECTRON_.*)$/i

function fingerprint({ command, env, workingDir }: ServerCommand): string {
  const variables = Object.entries(env).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([command, variables, workingDir ?? null])
}

/** A module runs within the composer itself, so nothing allows it but the file. */
function foreignModules(next: ComposerConfig, present: ComposerConfig): readonly Foreign[] {
  const known = new Set(
    everyServer(present).map((server) => (server.transport === 'embedded' ? server.module : '')),
  )
  return everyServer(next).flatMap((server) =>
    server.transport === 'embedded' && !known.has(server.module)
      ? [
          {
            server: server.name,
            message: `imports a module that is not in the configuration file. ${ASK}`,
          },
        ]
      : [],
  )
}

/** Who chooses what is written, and where, has soon written a program. */
function foreignFiles(next: ComposerConfig, present: ComposerConfig): readonly Foreign[] {
  const known = new Set(filesOf(present).map(({ file }) => file))
  return filesOf(next)
    .filter(({ file }) => !known.has(file))
    .map(({ writes }) => ({
      ...writes,
      message: `${writes.message} a file that is not in the configuration file. Write it there and reload it.`,
    }))
}

function filesOf(config: ComposerConfig): readonly { readonly file: string; readonly writes: Foreign }[] {
  const { logFile, auditFile } = config.monitoring
  const servers = everyServer(config).map((server) => ({
    file: server.transport === 'stdio' ? server.logFile : undefined,
    writes: { server: server.name, message: 'writes its log into' },
  }))
  const own = [
    { file: logFile, writes: { message: 'monitoring.logging.log_file names' } },
    { file: auditFile, writes: { message: 'monitoring.audit_file names' } },
  ]
  return [...own, ...servers].flatMap(({ file, writes }) => (file === undefined ? [] : [{ file, writes }]))
}
