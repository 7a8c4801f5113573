import { useQuery } from '@tanstack/react-query'
import { send } from '../services/request.ts'
import { COMPOSER_KEY } from './composer-queries.ts'
import { readDurations } from './latency.ts'

const REFRESH_MS = 5_000

export function useDurations() {
  return useQuery({
    queryKey: [COMPOSER_KEY, 'durations'],
    queryFn: async ({ signal }) =>
      readDurations(await (await send('composer', '/metrics', { signal })).text()),
    refetchInterval: REFRESH_MS,
    // Each answer is one point, also one that is equal to the last.
    structuralSharing: false,
  })
}
