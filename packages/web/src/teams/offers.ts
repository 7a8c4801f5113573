import type { Configuration as ConfigurationSchema } from '@quire/runtime/contract/configuration'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../services/request.ts'
import { isServed } from '../services/served.ts'

type Configuration = ReturnType<(typeof ConfigurationSchema)['parse']>

/** What members can be made of. Empty where nobody can say: then everything is typed in. */
export interface Offers {
  readonly agents: Configuration['agents']
  readonly models: Configuration['models']
  readonly toolsets: readonly string[]
}

export const NO_OFFERS: Offers = { agents: [], models: [], toolsets: [] }

/** Of the runtime beside the teams, which knows the same models and toolsets. */
export const offersQuery = queryOptions({
  queryKey: ['runtime', 'offers'],
  queryFn: async ({ signal }): Promise<Offers> => {
    const { agents, models, mcp_servers } = await request<Configuration>(
      'runtime',
      '/api/v1/configure/config',
      { signal },
    )
    return { agents, models, toolsets: mcp_servers.map(({ name }) => name) }
  },
  enabled: isServed('runtime'),
})
