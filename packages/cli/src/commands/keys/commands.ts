import type { Command } from 'commander'
import { dataSetting } from '../../config.ts'
import { addSettings, flagsOf } from '../../flags.ts'
import { issueSettings } from './issue-settings.ts'
import type { KeyService } from './key-service.ts'

/** `keys issue`, `keys list` and `keys revoke` below the command of a service. */
export function addKeyCommands(parent: Command, service: KeyService): void {
  const { name, scopes, databaseSetting } = service
  const places = { ...databaseSetting, ...dataSetting }
  const keys = parent.command('keys').description('issue, list and revoke keys of clients').helpCommand(false)
  addSettings(keys.command('issue').description('make a key, and print it'), {
    ...databaseSetting,
    ...issueSettings(scopes),
    ...dataSetting,
  })
    .addHelpText('after', issueExamples(service))
    .action(async (_options: unknown, command: Command) => {
      const { runKeysIssue } = await import('./keys.ts')
      await runKeysIssue(service, flagsOf(command), process)
    })
  const list = keys
    .command('list')
    .description('the keys that were issued, without the keys themselves')
    .option('--json', 'print JSON')
  addSettings(list, places).action(async (options: { json?: boolean }, command: Command) => {
    const { runKeysList } = await import('./keys.ts')
    await runKeysList(service, flagsOf(command), options, process)
  })
  const revoke = keys
    .command('revoke')
    .description(
      'end a key, and the streams that were opened with it; running servers know it within a second or two',
    )
    .argument('<ID>', `as "quire ${name} keys list" shows it`)
  addSettings(revoke, places).action(async (id: string, _options: unknown, command: Command) => {
    const { runKeysRevoke } = await import('./keys.ts')
    await runKeysRevoke(service, flagsOf(command), id, process)
  })
}

function issueExamples({ name, scopes }: KeyService): string {
  return `
The key is printed on standard output, this once: only its hash is kept. As soon as one was issued, clients need a key, also those of a running server.

Examples:
  KEY=$(quire ${name} keys issue --name ada)
  quire ${name} keys issue --name dashboard --scope ${scopes[0]} --expires-in-days 90`
}
