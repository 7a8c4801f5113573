import type { Logger } from '@quire/kit/log'
import type { AnyStore } from '@quire/kit/store/store'
import type { Members } from '../members/members.ts'
import type { SupervisorCalls } from '../members/supervisor-calls.ts'
import type { Teams } from '../teams.ts'

export interface EngineOptions {
  /** Stays open when the engine is closed. */
  readonly store: AnyStore
  readonly members: Members
  readonly supervisor: SupervisorCalls
  readonly logger: Logger
  /** Tasks that this process works on at the same time. */
  readonly concurrency?: number | undefined
  readonly now?: (() => Date) | undefined
}

export interface Engine {
  readonly teams: Teams
  /** Begins to work on tasks. Before that, and in a process that never calls it, everything else works. */
  start(): void
  /** Takes no more tasks; those under way may finish, for a while, and go back to be gone on with elsewhere. */
  drain(graceMs: number): Promise<void>
  close(): Promise<void>
}
