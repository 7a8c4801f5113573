import { connectSettings, notebookSettingGroups, stopSettings } from '@quire/notebook/settings'
import type { Command } from 'commander'
import { addSettings, flagsOf } from '../../flags.ts'
import { extensionSettings } from './extension-settings.ts'

const OVERVIEW = `
Examples:
  quire notebook start                                     for a client that starts it itself (stdio)
  quire notebook start --transport streamable-http         a server at http://127.0.0.1:4040/mcp
  quire notebook connect --code-sandbox-url URL            let that server work on another notebook server
  quire notebook stop                                      let it shut down its kernels
  quire notebook install-extension                         have the tools inside a Jupyter server, at its /mcp

"quire notebook COMMAND --help" lists the settings of a command.`

const START_EXAMPLES = `
Every flag can be set by a variable too: by the one in brackets, and by its own name in capitals (--read-only: READ_ONLY).
Secrets may lie in files: NOTEBOOK_TOKEN_FILE=/run/secrets/notebook names one.

Examples:
  In the configuration of an MCP client, which starts the tools over stdio:
    { "command": "quire", "args": ["notebook", "start"],
      "env": { "NOTEBOOK_URL": "http://localhost:8888", "NOTEBOOK_TOKEN": "..." } }

  A server for several clients, each of which must send "Authorization: Bearer ..." with this token:
    MCP_TOKEN=$(openssl rand -hex 32) NOTEBOOK_TOKEN=... quire notebook start --transport streamable-http

  Documents on one server and code on another, each with its own credentials:
    DOCUMENT_URL=https://docs.example.org DOCUMENT_TOKEN=... \\
    CODE_SANDBOX_URL=https://gpu.example.org CODE_SANDBOX_PASSWORD=... quire notebook start

  Nothing but reading, and only in one folder:
    quire notebook start --read-only --allowed-path reports

  Tokens of an authorization server (OAuth 2.1), checked with its public keys:
    quire notebook start --transport streamable-http --public-url https://notebooks.example.org \\
      --mcp-jwks-url https://login.example.org/jwks --mcp-issuer https://login.example.org \\
      --mcp-audience https://notebooks.example.org/mcp`

const CONNECT_EXAMPLES = `
The new server is asked first: when it does not answer, everything stays as it was. No credential of the old server is used for the new one.

Example:
  CODE_SANDBOX_TOKEN=... quire notebook connect --code-sandbox-url http://localhost:8889 --document-id work.ipynb`

const INSTALL_EXAMPLES = `
A marked block is written at the end of jupyter_server_config.py in the folder of Jupyter's configuration, and a file of its own into the folder
jupyter_server_config.d beside it; nothing else is changed. From its next start the Jupyter server (1.23 or newer) offers the tools at /mcp, to whom it lets in by its own token, password or hub.

Examples:
  quire notebook install-extension                         for the servers of this user
  quire notebook install-extension --sys-prefix            for the Python environment that is active
  quire notebook install-extension --config-dir /etc/jupyter
  quire notebook install-extension --uninstall             take it out again`

/** The commands of the notebook service, each of which loads its code when it is run. */
export function addNotebookCommands(notebook: Command): void {
  notebook.helpCommand(false).addHelpText('after', OVERVIEW)
  const start = notebook.command('start').description('serve the tools, over stdio or HTTP')
  for (const [heading, settings] of Object.entries(notebookSettingGroups))
    addSettings(start, settings, heading)
  start.addHelpText('after', START_EXAMPLES).action(async (_options: unknown, command: Command) => {
    const { runNotebookStart } = await import('./start.ts')
    await runNotebookStart(flagsOf(command))
  })
  addSettings(
    notebook
      .command('connect')
      .description('point a running server at another notebook server')
      .addHelpText('after', CONNECT_EXAMPLES),
    connectSettings,
  ).action(async (_options: unknown, command: Command) => {
    const { runNotebookConnect } = await import('./connect.ts')
    await runNotebookConnect(flagsOf(command), process.stdout)
  })
  addSettings(
    notebook.command('stop').description('let a running server let go of its notebooks'),
    stopSettings,
  ).action(async (_options: unknown, command: Command) => {
    const { runNotebookStop } = await import('./stop.ts')
    await runNotebookStop(flagsOf(command), process.stdout)
  })
  addSettings(
    notebook
      .command('install-extension')
      .description('have the tools inside a Jupyter server, started and guarded by it')
      .addHelpText('after', INSTALL_EXAMPLES),
    extensionSettings,
  ).action(async (_options: unknown, command: Command) => {
    const { runInstallExtension } = await import('./install-extension.ts')
    await runInstallExtension(flagsOf(command), process.stdout)
  })
}
