import { createSilentLogger } from '../fixtures/silent-logger.ts'
import { createSupervisor } from './create-supervisor.ts'
import { createPidRecord } from './pid-record.ts'
import { defineRough, hastyOpenLink } from './real-servers.fixture.ts'

/** A composer reduced to its supervisor, with one server that resists its end. Writes what that server says to stdout, and never ends by itself. */
async function main([file = '']: readonly string[]): Promise<void> {
  const logger = createSilentLogger()
  const supervisor = createSupervisor({
    openLink: hastyOpenLink,
    logger,
    environment: { PATH: '/usr/bin:/bin' },
    clientInfo: { name: 'test', version: '1' },
    record: createPidRecord({ file, logger }),
    onEvent(event) {
      if (event.type === 'stderr') process.stdout.write(`${event.line}\n`)
      if (event.type === 'state') process.stdout.write(`${event.state}\n`)
    },
  })
  await supervisor.apply([defineRough('stubborn', ['stubborn'])])
}

if (import.meta.main) await main(process.argv.slice(2))
