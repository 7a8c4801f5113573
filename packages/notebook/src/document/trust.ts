import type { Json } from './nbformat.ts'

/** Metadata of a cell without the mark of trust, which the server puts on as it reads and which is in no file. */
export function withoutTrust({ trusted, ...lasting }: Json): Json {
  return lasting
}
