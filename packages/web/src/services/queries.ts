import { QueryClient } from '@tanstack/react-query'
import { RequestFailed } from './request.ts'

const TRIES = 3

/** What is wrong with a request stays wrong; what is wrong with a connection does not. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A server on this machine can be asked without a network.
        networkMode: 'always',
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        retry: (count, error) =>
          count < TRIES && !(error instanceof RequestFailed && error.status >= 400 && error.status < 500),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}
