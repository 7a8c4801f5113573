/** legacy: revisions up to 2025-11-25, with `initialize` and sessions. modern: 2026-07-28, stateless. */
export type Era = 'legacy' | 'modern'
