import { SCOPES } from '@quire/teams/scopes'
import { databaseSetting, teamsSettingGroups } from '@quire/teams/settings'
import type { Command } from 'commander'
import { dataSetting } from '../../config.ts'
import { addSettings, flagsOf } from '../../flags.ts'
import { addKeyCommands } from '../keys/commands.ts'
import type { AssignOptions } from './assign.ts'
import { clientSettings } from './client-settings.ts'
import type { CreateOptions } from './create.ts'
import type { WatchFlags } from './watch.ts'

const OVERVIEW = `
Examples:
  quire teams serve                                   teams at http://127.0.0.1:8766/teams
  quire teams create --name Writers --member Ada --member Bob
  quire teams start Writers
  quire teams assign Writers 'Find three sources' --to Ada
  quire teams watch Writers --until-idle
  quire teams keys issue --name ada                   a key for ada: from now on clients need one

"quire teams COMMAND --help" lists the settings of a command.`

const SERVE_EXAMPLES = `
Keys of model providers come from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY and so on.
Several of these may share one PostgreSQL: each takes tasks, and none is lost when one of them dies.

Examples:
  On this machine, with members that need no key:
    quire teams serve

  With the MCP servers of a file as toolsets, and another model for members that name none:
    quire teams serve --mcp-config mcp.json --model anthropic:claude-sonnet-4-5

  With members that are agents of a runtime, whose key is in the environment:
    TEAMS_AGENT_KEYS=http://127.0.0.1:8765/api/v1/agents/=KEY quire teams serve --allow-agent http://127.0.0.1:8765/api/v1/agents/

  For other machines, with a limit for each key:
    quire teams keys issue --name ada
    quire teams serve --host 0.0.0.0 --allowed-host teams.example.org --rate-limit 'createTask=60/m,default=600/m'`

const CREATE_EXAMPLES = `
The id of the new team is printed on standard output, so that it can be kept in a variable.

Examples:
  quire teams create team.json
  TEAM=$(quire teams create --name Writers --mode supervisor --supervisor Ada --review --member Ada --member Bob=openai:gpt-5)
  echo '{"name": "Pair", "execution_mode": "sequential", "members": [{"name": "Ada"}]}' | quire teams create -`

const START_EXAMPLES = `
Example:
  quire teams start Writers`

const ASSIGN_EXAMPLES = `
The id of the new task is printed, or with --wait its result; the exit code is then 1 when the task fails.

Examples:
  quire teams assign Writers 'Find three sources' --description 'On the history of the pencil.' --to Ada
  SOURCES=$(quire teams assign Writers 'Find three sources')
  quire teams assign Writers 'Write a page' --depends-on "$SOURCES" --priority high --wait`

const WATCH_EXAMPLES = `
On a terminal there is a line for each task, with its status, member, attempt and age, drawn again as things happen. Elsewhere the tasks are listed once,
and then each event has a line. With --json there is an event a line, from the first event of the team on.
The connection may break and the server be restarted: nothing is shown twice, and nothing is missed.
With --until-idle the exit code is 0 when all tasks have ended, and 1 when one failed or can no longer be begun.

Examples:
  quire teams watch Writers
  quire teams watch Writers --until-idle && echo done
  quire teams watch Writers --json | jq .event_type`

/** The commands of the team service, each of which loads its code when it is run. */
export function addTeamsCommands(teams: Command): void {
  teams.helpCommand(false).addHelpText('after', OVERVIEW)
  const serve = teams.command('serve').description('serve teams over HTTP, and work on their tasks')
  for (const [heading, settings] of Object.entries(teamsSettingGroups)) addSettings(serve, settings, heading)
  addSettings(serve, dataSetting, 'Teams:')
    .addHelpText('after', SERVE_EXAMPLES)
    .action(async (_options: unknown, command: Command) => {
      const { runTeamsServe } = await import('./serve.ts')
      await runTeamsServe(flagsOf(command))
    })
  addCreate(teams)
  addStart(teams)
  addAssign(teams)
  addWatch(teams)
  addKeyCommands(teams, { name: 'teams', scopes: SCOPES, databaseSetting })
}

function addCreate(teams: Command): void {
  const create = teams
    .command('create')
    .description('make a team')
    .argument('[FILE]', 'the team as JSON, as POST /teams takes it; "-" is standard input')
    .option('--name <NAME>', 'what it is called, in place of a file')
    .option('--mode <MODE>', 'sequential, parallel or supervisor (default parallel)')
    .option(
      '--member <NAME=MODEL>',
      'a member; "=MODEL" may be left out; may be given several times',
      collect,
    )
    .option('--supervisor <NAME>', 'the member that gives out tasks, or reviews them')
    .option('--review', 'the supervisor looks at every result')
    .addHelpText('after', CREATE_EXAMPLES)
  addSettings(create, clientSettings).action(
    async (file: string | undefined, options: CreateOptions, command: Command) => {
      const { runTeamsCreate } = await import('./create.ts')
      await runTeamsCreate(flagsOf(command), file, options, process)
    },
  )
}

function addStart(teams: Command): void {
  const start = teams
    .command('start')
    .description('start a team: what is pending is begun')
    .argument('<TEAM>', TEAM)
    .addHelpText('after', START_EXAMPLES)
  addSettings(start, clientSettings).action(async (team: string, _options: unknown, command: Command) => {
    const { runTeamsStart } = await import('./start.ts')
    await runTeamsStart(flagsOf(command), team, process)
  })
}

function addAssign(teams: Command): void {
  const assign = teams
    .command('assign')
    .description('give a team a task')
    .argument('<TEAM>', TEAM)
    .argument('<TITLE>', 'what is to be done, in a line')
    .option('--description <TEXT>', 'all that there is to say of it')
    .option('--priority <PRIORITY>', 'critical, high, medium or low (default medium)')
    .option('--to <MEMBER>', 'who is to do it (default: whoever the team chooses)')
    .option(
      '--depends-on <TASK>',
      'a task that has to be complete before; may be given several times',
      collect,
    )
    .option('--idempotency-key <KEY>', 'the same key again gives the same task, not another one')
    .option('--wait', 'wait until it has ended, and print its result')
    .addHelpText('after', ASSIGN_EXAMPLES)
  addSettings(assign, clientSettings).action(
    async (team: string, title: string, options: AssignOptions, command: Command) => {
      const { runTeamsAssign } = await import('./assign.ts')
      await runTeamsAssign(flagsOf(command), { team, title }, options, process)
    },
  )
}

function addWatch(teams: Command): void {
  const watch = teams
    .command('watch')
    .description('see how the tasks of a team come on')
    .argument('<TEAM>', TEAM)
    .option('--task <ID>', 'only this task')
    .option('--until-idle', 'end when there is nothing more to wait for')
    .addHelpText('after', WATCH_EXAMPLES)
  addSettings(watch, clientSettings).action(async (team: string, options: WatchFlags, command: Command) => {
    const { runTeamsWatch } = await import('./watch.ts')
    if (!(await runTeamsWatch(flagsOf(command), team, options, process))) process.exitCode = 1
  })
}

const TEAM = 'its id, or its name where no other team has it'

function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value]
}
