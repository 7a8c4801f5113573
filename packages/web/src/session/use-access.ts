import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { RequestFailed, request } from '../services/request.ts'
import { isServed, type ServiceName } from '../services/served.ts'
import { onTokenChange, readToken } from './token.ts'

export type Access = 'asking' | 'granted' | 'refused'

/** An endpoint of each service that needs a token where one is needed at all. */
const PROBES: readonly { readonly service: ServiceName; readonly path: string }[] = [
  { service: 'composer', path: '/api/v1/servers?limit=1' },
  { service: 'runtime', path: '/api/v1/agents' },
  { service: 'teams', path: '/teams?limit=1' },
]

/** Asks once for each token whether it is good; a server that cannot be reached does not close the page. */
export function useAccess(): Access {
  const token = useSyncExternalStore(onTokenChange, readToken)
  const query = useQuery({
    queryKey: ['access', token],
    queryFn: ask,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (query.isPending) return 'asking'
  return query.data ?? 'granted'
}

async function ask(): Promise<Access> {
  const probe = PROBES.find(({ service }) => isServed(service))
  if (probe === undefined) return 'granted'
  try {
    await request(probe.service, probe.path)
    return 'granted'
  } catch (error) {
    return error instanceof RequestFailed && error.status === 401 ? 'refused' : 'granted'
  }
}
