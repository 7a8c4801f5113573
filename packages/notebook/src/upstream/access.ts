import type { Answer } from './answer.ts'

export interface AccessRequest {
  readonly method: string
  readonly url: URL
  readonly signal: AbortSignal
}

export type HeaderFields = Readonly<Record<string, string>>

/** How one server lets us in. */
export interface Access {
  /** Attempts with credentials, and once more where other or newer ones may help. Gives what the last attempt brought. */
  perform<Result extends Answer>(
    request: AccessRequest,
    attempt: (headers: HeaderFields) => Promise<Result>,
  ): Promise<Result>
  /** What it means to be refused all the same, and what to do. */
  readonly refusal: string
}

export function isRefused({ status }: Answer): boolean {
  return status === 401 || status === 403
}
