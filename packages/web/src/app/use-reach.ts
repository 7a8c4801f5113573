import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { RequestFailed } from '../services/request.ts'
import { isThere } from './is-there.ts'

const KEY = ['reach'] as const
const THERE_MS = 5_000
const AWAY_MS = 1_000

/** Whether the server answers. Asked now and then, and at once when a request of any page found nobody; when it is back, every page asks again. */
export function useReach(): boolean {
  const queries = useQueryClient()
  const { data: isReached = true } = useQuery({
    queryKey: KEY,
    queryFn: isThere,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data === false ? AWAY_MS : THERE_MS),
  })

  useEffect(() => {
    function lookAgain(error: unknown): void {
      const isNews = queries.getQueryData(KEY) !== false
      if (isNews && error instanceof RequestFailed && error.status === 0)
        void queries.refetchQueries({ queryKey: KEY }, { cancelRefetch: false })
    }
    const ends = [
      queries.getQueryCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'failed') lookAgain(event.action.error)
      }),
      queries.getMutationCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'error') lookAgain(event.action.error)
      }),
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [queries])

  const wasReached = useRef(true)
  useEffect(() => {
    if (isReached && !wasReached.current)
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] })
    wasReached.current = isReached
  }, [isReached, queries])

  return isReached
}
