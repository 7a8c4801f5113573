import {
  askSettings,
  bridgeSettings,
  composerSettingGroups,
  validateSettings,
} from '@quire/composer/settings'
import type { Command } from 'commander'
import { dataSetting } from '../../config.ts'
import { addSettings, flagsOf } from '../../flags.ts'

const OVERVIEW = `
Examples:
  quire composer discover > quire.toml        begin with the servers that your MCP clients know already
  quire composer validate                     look whether the file is in order; nothing is started
  quire composer serve                        offer all of them at http://127.0.0.1:8080/mcp
  quire composer tools --search file          what tools there are
  quire composer invoke files:read_file '{"path": "notes.txt"}'

"quire composer COMMAND --help" lists the settings of a command.`

const SERVE_EXAMPLES = `
The file says what is served: see docs/composer.md for its keys, and examples/composer/quire.toml for one with a word on each.

Examples:
  A server on this machine, for everybody on it:
    quire composer serve --config quire.toml

  In the configuration of an MCP client that starts the composer itself:
    { "command": "quire", "args": ["composer", "serve", "--transport", "stdio", "--config", "/home/ada/quire.toml"] }

  For other machines: clients must send "Authorization: Bearer KEY" with one of these keys:
    COMPOSER_API_KEYS=$(openssl rand -hex 32) quire composer serve --host 0.0.0.0 --allowed-host tools.example.org

  Let the API add servers that are run by npx or uvx:
    quire composer serve --allow-command npx --allow-command uvx`

const ASK_EXAMPLES = `
Examples:
  quire composer tools                                        start the servers of quire.toml, list their tools, stop them
  quire composer tools --url http://127.0.0.1:8080 --json     ask the composer that runs there`

const INVOKE_EXAMPLES = `
The arguments are a JSON object, or @FILE that holds one. The exit code is 1 when the tool fails.

Examples:
  quire composer invoke time:get_current_time '{"timezone": "Europe/Paris"}'
  quire composer invoke --url http://127.0.0.1:8080 files:write_file @arguments.json`

const BRIDGE_EXAMPLES = `
For MCP clients that know only programs: this one is such a program, and the server is somewhere else.

Example, in the configuration of an MCP client:
  { "command": "quire", "args": ["composer", "bridge", "--url", "https://tools.example.org/mcp"],
    "env": { "MCP_TOKEN": "..." } }`

/** The commands of the composition service, each of which loads its code when it is run. */
export function addComposerCommands(composer: Command): void {
  composer.helpCommand(false).addHelpText('after', OVERVIEW)
  const serve = composer.command('serve').description('run the servers of a file, and offer them as one')
  for (const [heading, settings] of Object.entries(composerSettingGroups))
    addSettings(serve, settings, heading)
  addSettings(serve, dataSetting, 'Servers:')
    .addHelpText('after', SERVE_EXAMPLES)
    .action(async (_options: unknown, command: Command) => {
      const { runComposerServe } = await import('./serve.ts')
      await runComposerServe(flagsOf(command))
    })
  addSettings(
    composer.command('validate').description('look whether a file is in order, without starting anything'),
    validateSettings,
  ).action(async (_options: unknown, command: Command) => {
    const { runComposerValidate } = await import('./validate.ts')
    await runComposerValidate(flagsOf(command), process.stdout)
  })
  addSettings(
    composer
      .command('tools')
      .description('list the tools of all servers')
      .option('--search <TEXT>', 'only those with these words in their name or description')
      .option('--server <NAME>', 'only those of this server')
      .addHelpText('after', ASK_EXAMPLES),
    askSettings,
  ).action(async (options: { search?: string; server?: string }, command: Command) => {
    const { runComposerTools } = await import('./tools.ts')
    await runComposerTools(flagsOf(command), options, process.stdout)
  })
  addSettings(
    composer
      .command('invoke')
      .description('call one tool')
      .argument('<NAME>', 'the tool, as "quire composer tools" lists it: server:tool')
      .argument('[ARGUMENTS]', 'its arguments as JSON, or @FILE', '{}')
      .addHelpText('after', INVOKE_EXAMPLES),
    askSettings,
  ).action(async (name: string, given: string, _options: unknown, command: Command) => {
    const { runComposerInvoke } = await import('./invoke.ts')
    await runComposerInvoke(flagsOf(command), { name, given }, process.stdout)
  })
  composer
    .command('discover')
    .description('print the servers that the MCP clients of this machine know, as TOML')
    .action(async () => {
      const { runDiscover } = await import('./discover.ts')
      await runDiscover(process)
    })
  addSettings(
    composer
      .command('bridge')
      .description('be the program that an MCP client starts, in place of a server somewhere else')
      .addHelpText('after', BRIDGE_EXAMPLES),
    bridgeSettings,
  ).action(async (_options: unknown, command: Command) => {
    const { runComposerBridge } = await import('./bridge.ts')
    await runComposerBridge(flagsOf(command))
  })
}
