import type { LinkEnd } from './link.ts'

/**
 * unsent: the request did not reach the server. forgotten: a remote refused it unread, for it no longer knows our session. lost: the link broke, the outcome is unknown.
 * aborted: by the asker, and the server was told. start: the link never came to be.
 */
export type LinkFault = 'unsent' | 'forgotten' | 'lost' | 'aborted' | 'start'

/** What stood between us and an answer. */
export class LinkError extends Error {
  readonly fault: LinkFault
  /** Of a process that ended. */
  readonly end: LinkEnd | undefined

  constructor(
    fault: LinkFault,
    message: string,
    options: { readonly cause?: unknown; readonly end?: LinkEnd | undefined } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'LinkError'
    this.fault = fault
    this.end = options.end
  }
}
