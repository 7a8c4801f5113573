import type { Config, ConfigApplied } from '@quire/composer/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { request } from '../services/request.ts'
import { COMPOSER_KEY } from './composer-queries.ts'
import type { Table } from './server-tables.ts'

/** Changes the file by way of its document, from the revision that was read: its comments stay, and nobody's change is lost. */
export function useConfigChange(change: (document: Table) => Table) {
  const queries = useQueryClient()
  return useMutation({
    async mutationFn() {
      const { config, revision } = await request<Config>('composer', '/api/v1/config')
      return request<ConfigApplied>('composer', '/api/v1/config', {
        method: 'PUT',
        body: { config: change(config), revision },
      })
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [COMPOSER_KEY] }),
  })
}
