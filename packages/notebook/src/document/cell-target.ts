/** A cell as the caller names it. An id that is not there is an error, never a reason to look at the index. */
export type CellTarget = { readonly index: number } | { readonly id: string }
