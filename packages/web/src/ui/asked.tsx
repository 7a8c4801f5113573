import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { RequestFailed } from '../services/request.ts'
import { Failure, Loading } from './state.tsx'

export interface AskedProps<Answer> {
  readonly query: UseQueryResult<Answer>
  readonly what: string
  readonly children: (answer: Answer) => ReactNode
}

/** What was asked for, or why it is not there. An answer that has grown old is shown while the next one fails. */
export function Asked<Answer>({ query, what, children }: AskedProps<Answer>) {
  if (query.data === undefined)
    return query.isError ? (
      <Failure error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <Loading what={what} />
    )
  return (
    <>
      {query.isError && !isAway(query.error) && <Failure error={query.error} />}
      {children(query.data)}
    </>
  )
}

/** The page has one banner for that. */
function isAway(error: Error): boolean {
  return error instanceof RequestFailed && error.status === 0
}
