import { ComposerError } from '../composer-error.ts'
import type { Translator } from '../translator-contract.ts'
import type { ConfigChange, ConfigService } from './config-service.ts'
import type { ComposerParts } from './parts.ts'

const NO_CHANGES = { added: [], removed: [], changed: [], unchanged: ['alpha'] }

/** A configuration in memory: `bad` in it is a fault, and a stale revision a conflict. */
export function createFixtureConfig(): ConfigService & { readonly changes: ConfigChange[]; reloads: number } {
  const changes: ConfigChange[] = []
  let number = 1

  function check({ document, text = '' }: ConfigChange): void {
    const written = text + (JSON.stringify(document) ?? '')
    if (written.includes('bad'))
      throw new ComposerError('CONFIG_INVALID', 'The configuration cannot be used: two faults', {
        errors: [
          { path: 'composer.port', message: 'must be a whole number' },
          { path: 'servers', message: 'must be a table' },
        ],
      })
    if (written.includes('foreign'))
      throw new ComposerError('COMMAND_NOT_ALLOWED', 'The command "foreign" may not be brought by the API.')
  }

  const service = {
    changes,
    reloads: 0,
    current: () => ({
      document: { composer: { name: 'one' }, key: '[redacted]' },
      text: '# a comment\n[composer]\nname = "one"\n',
      path: '/etc/quire.toml',
      revision: `revision-${number}`,
    }),
    async replace(change: ConfigChange) {
      if (change.revision !== undefined && change.revision !== `revision-${number}`)
        throw new ComposerError('CONFIG_CONFLICT', 'Somebody else has changed the configuration.')
      check(change)
      changes.push(change)
      number += 1
      return {
        document: { composer: { name: 'two' } },
        changes: { ...NO_CHANGES, added: ['new'] },
        restartRequired: ['composer.port'],
      }
    },
    validate: (change: ConfigChange) => {
      const isBad = JSON.stringify(change).includes('bad')
      const fault = { path: 'composer.port', line: 2, column: 1, message: 'must be a whole number' }
      if (isBad) return { valid: false, errors: [fault], warnings: [] }
      const next = {
        servers: [],
        rewritten: new Set<string>(),
        restartRequired: ['composer.port'],
        refusals: [],
      }
      return { valid: true, errors: [], warnings: [], next }
    },
    async reload() {
      service.reloads += 1
      return { document: { composer: { name: 'one' } }, changes: NO_CHANGES, restartRequired: [] }
    },
  }
  return service
}

/** Translators that run nothing. */
export function createFixtureTranslators(): ComposerParts['translators'] {
  const held = new Map<string, Translator>()
  return {
    list: () => [...held.values()],
    async create({ name, type }) {
      if (held.values().some((other) => other.name === name))
        throw new ComposerError('TRANSLATOR_EXISTS', `There is a translator "${name}" already.`)
      const id = `id-of-${name}`
      const created: Translator = {
        id,
        name,
        type,
        status: 'running',
        endpoint: `/translators/${id}/mcp`,
        created_at: '2026-11-15T10:00:00.000Z',
      }
      held.set(id, created)
      return created
    },
    async remove(id) {
      if (!held.delete(id)) throw new ComposerError('TRANSLATOR_NOT_FOUND', `There is no translator "${id}".`)
    },
  }
}
