type Place =
  | `spec 1 §${1 | 2 | 4 | 5 | 7 | 9}`
  | `spec 2 §${2 | 4 | 5 | 7 | 8 | 9}`
  | `spec 3 §${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`
  | 'decisions, All services'
  | `decisions §${'1' | '2' | '3a' | '3b'}`
  /** What we decided ourselves. */
  | `docs/${string}.md`

/** One checkable promise of the product. */
export type Clause = {
  readonly id: `${string}-${string}-${number}`
  readonly text: string
  readonly source: Place | `${Place}; ${Place}`
  /** What a machine must have to show the clause, where the test bed cannot have it. */
  readonly needs?: string
}
