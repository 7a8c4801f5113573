import type { ClausePattern } from './ledger.ts'

/** What no test proves yet, by the title of the issue that will build it. Empty when the product is done. */
export const notYetBuilt = {} as const satisfies Record<string, readonly ClausePattern[]>
