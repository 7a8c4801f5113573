import { Command } from 'commander'
import { addComposerCommands } from './commands/composer/commands.ts'
import { addNotebookCommands } from './commands/notebook/commands.ts'
import { addRuntimeCommands } from './commands/runtime/commands.ts'
import { addTeamsCommands } from './commands/teams/commands.ts'
import { dataSetting, upSettings } from './config.ts'
import { addSettings, flagsOf } from './flags.ts'
import { readVersion } from './version.ts'

const INTRODUCTION = `Quire lets AI agents work in live notebooks, alone or as a team, with all their tools behind one door.`

const FIRST_STEPS = `
First steps:
  quire up                  start everything on http://127.0.0.1:7878
  quire up --port 0         the same on any free port
  quire notebook start      the notebook tools for one MCP client, which starts them itself
  quire runtime serve       agents over HTTP, one of which needs no key of a model
  quire teams serve         teams of agents that share work, over HTTP
  quire composer serve      the MCP servers of quire.toml as one
  quire token where         where the token lies that clients must send

"quire COMMAND --help" tells more of a command.`

const NOTEBOOK_SERVERS = `
Notebooks are on one of three servers, and it is said at the start on which:
  NOTEBOOK_URL=URL quire up    the Jupyter at that address, with NOTEBOOK_TOKEN or NOTEBOOK_PASSWORD
  quire up --with-jupyter      the Jupyter of this machine, started and ended with Quire
  quire up                     the embedded one: nothing to install, Python in WebAssembly`

/** Without a command the help is the answer, not an error; so is that of a group of commands. */
export async function run(argv: readonly string[]): Promise<void> {
  const program = createProgram()
  const [, , name, ...rest] = argv
  const group = name === undefined ? program : program.commands.find((command) => command.name() === name)
  if (group && rest.length === 0 && group.commands.length > 0) group.outputHelp()
  else await program.parseAsync(argv)
}

/** Commands load their code when they are run, so that help and errors come at once. */
function createProgram(): Command {
  const program = new Command('quire')
    .description(INTRODUCTION)
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', FIRST_STEPS)

  addSettings(
    program
      .command('up')
      .description('start all services on one port, with one token')
      .addHelpText('after', NOTEBOOK_SERVERS),
    upSettings,
  ).action(async (_options: unknown, command: Command) => {
    const { runUp } = await import('./commands/up.ts')
    await runUp(flagsOf(command))
  })
  addNotebookCommands(
    program.command('notebook').description('tools for MCP clients that work on a Jupyter server'),
  )
  addRuntimeCommands(
    program.command('runtime').description('agents as a service: prompts, conversations, toolsets'),
  )
  addTeamsCommands(program.command('teams').description('teams of agents that share work'))
  addComposerCommands(program.command('composer').description('many MCP servers, supervised, offered as one'))
  addTokenCommands(program.command('token').description('make, find and rotate the token of "quire up"'))
  pointToHelp(program, program.name())
  return program
}

/** After an error each command names its own help. */
function pointToHelp(command: Command, path: string): void {
  command.showHelpAfterError(`("${path} --help" lists what there is)`)
  for (const inner of command.commands) pointToHelp(inner, `${path} ${inner.name()}`)
}

function addTokenCommands(token: Command): void {
  const descriptions = {
    make: 'make the token if there is none yet, and print the path of its file',
    where: 'print the path of the file that holds the token',
    rotate: 'replace the token: a running Quire takes the new one at once, without a restart',
  } as const
  for (const [name, description] of Object.entries(descriptions)) {
    addSettings(token.command(name).description(description), dataSetting).action(
      async (_options: unknown, command: Command) => {
        const { runToken } = await import('./commands/token.ts')
        runToken(name as keyof typeof descriptions, flagsOf(command), process.stdout)
      },
    )
  }
}
