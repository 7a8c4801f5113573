import { SCOPES } from '@quire/runtime/scopes'
import { databaseSetting, runtimeSettingGroups } from '@quire/runtime/settings'
import type { Command } from 'commander'
import { dataSetting } from '../../config.ts'
import { addSettings, flagsOf } from '../../flags.ts'
import { addKeyCommands } from '../keys/commands.ts'

const OVERVIEW = `
Examples:
  quire runtime serve                         agents at http://127.0.0.1:8765/api/v1, one of them without any key
  quire runtime keys issue --name ada         a key for ada: from now on clients need one

"quire runtime COMMAND --help" lists the settings of a command.`

const SERVE_EXAMPLES = `
Model providers are set up by the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_COMPATIBLE_BASE_URL, OLLAMA_BASE_URL and so on (docs/runtime.md has all of them).

Examples:
  On this machine, and ask the agent that needs no key:
    quire runtime serve
    curl -s localhost:8765/api/v1/agents/guide/prompt/sync -H 'content-type: application/json' -d '{"message": "What can you do?"}'

  With the MCP servers of a file, and another model for agents that name none:
    quire runtime serve --mcp-config mcp.json --model anthropic:claude-sonnet-4-5

  For other machines, with a limit for each key:
    quire runtime keys issue --name ada
    quire runtime serve --host 0.0.0.0 --allowed-host agents.example.org --rate-limit 'prompt=60/m,default=600/m'`

/** The commands of the agent runtime, each of which loads its code when it is run. */
export function addRuntimeCommands(runtime: Command): void {
  runtime.helpCommand(false).addHelpText('after', OVERVIEW)
  const serve = runtime.command('serve').description('serve agents over HTTP')
  for (const [heading, settings] of Object.entries(runtimeSettingGroups))
    addSettings(serve, settings, heading)
  addSettings(serve, dataSetting, 'Agents:')
    .addHelpText('after', SERVE_EXAMPLES)
    .action(async (_options: unknown, command: Command) => {
      const { runRuntimeServe } = await import('./serve.ts')
      await runRuntimeServe(flagsOf(command))
    })
  addKeyCommands(runtime, { name: 'runtime', scopes: SCOPES, databaseSetting })
}
